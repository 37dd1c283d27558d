/**
 * Counts searches for analytics, whichever thread answered them. Shares of searches that another server gathers are not
 * counted here.
 */
import type { Seen, SeenQuery } from "../../engine/link/seen-searches.ts";
import type { Snapshot } from "../../storage/index/catalog.ts";
import type { Answer } from "./answer.ts";
import type { Request, Services } from "./services.ts";
import { FrontSlices } from "./slices.ts";

type Counting = Pick<Services, "insight" | "indexes">;

const ANSWERED = 200;

/** The answer, counted when it is there. */
export function seen(
  { insight }: Counting,
  request: Request,
  indexUid: string,
  q: string | null,
  answer: Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  if (insight === null) return answer;
  const count = (given: Answer): Answer => {
    if (given.status === ANSWERED) insight.search(indexUid, q, given.found ?? null, elapsedMs(request));
    return given;
  };
  return answer instanceof Promise ? answer.then(count) : count(answer);
}

/** What is counted of a search among several; what is not known of how it went is null. */
type SeenAmong = Pick<SeenQuery, "indexUid" | "q"> & Partial<Seen>;

/** Searches of one request. They may be thousands, which are counted in slices, after all else that is to be done in this turn. */
export function seenAll({ insight, indexes }: Counting, request: Request, searches: Iterable<SeenAmong>): void {
  if (insight === null) return;
  const wholeMs = elapsedMs(request);
  const count = ({ indexUid, q, found, ms }: SeenAmong, snapshot: Snapshot): void => {
    // What other servers answer may be no index of this one.
    if (snapshot.index(indexUid) !== null) insight.search(indexUid, q, found ?? null, ms ?? wholeMs);
  };
  setImmediate(() => void inSlices(searches[Symbol.iterator](), indexes, count));
}

/** Queries that were read here, with what a reader says of each. */
export function* withOutcomes(
  queries: readonly Pick<SeenQuery, "indexUid" | "q">[],
  outcomes: readonly Seen[],
): Generator<SeenAmong> {
  for (const [i, { indexUid, q }] of queries.entries()) yield { indexUid, q, ...outcomes[i] };
}

async function inSlices(
  searches: Iterator<SeenAmong>,
  indexes: Services["indexes"],
  count: (search: SeenAmong, snapshot: Snapshot) => void,
): Promise<void> {
  const slices = new FrontSlices();
  for (let next = searches.next(); !next.done; ) {
    const snapshot = indexes.pin();
    try {
      do {
        count(next.value, snapshot);
        next = searches.next();
      } while (!next.done && !slices.isOver);
    } finally {
      snapshot.release();
    }
    if (!next.done) await slices.pause();
  }
}

function elapsedMs({ startedAt }: Request): number {
  return performance.now() - startedAt;
}

/**
 * Counts searches for analytics, whichever thread answered them. Shares of searches that another server gathers are not
 * counted here.
 */
import type { Seen } from "../../engine/link/seen-searches.ts";
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

/** Searches of one request, each with what is known of how it went. They may be thousands, which are counted in slices. */
export function seenAll(
  { insight, indexes }: Counting,
  request: Request,
  queries: readonly { indexUid: string; q: string | null }[],
  outcomes: readonly Seen[] | null,
): void {
  if (insight === null) return;
  const ms = elapsedMs(request);
  const count = (i: number, snapshot: Snapshot): void => {
    const { indexUid, q } = queries[i]!;
    // What other servers answer may be no index of this one.
    if (snapshot.index(indexUid) === null) return;
    const outcome = outcomes?.[i];
    insight.search(indexUid, q, outcome?.found ?? null, outcome?.ms ?? ms);
  };
  void inSlices(queries.length, indexes, count);
}

async function inSlices(
  length: number,
  indexes: Services["indexes"],
  count: (i: number, snapshot: Snapshot) => void,
): Promise<void> {
  const slices = new FrontSlices();
  for (let i = 0; i < length; ) {
    const snapshot = indexes.pin();
    try {
      do count(i++, snapshot);
      while (i < length && !slices.isOver);
    } finally {
      snapshot.release();
    }
    if (i < length) await slices.pause();
  }
}

function elapsedMs({ startedAt }: Request): number {
  return performance.now() - startedAt;
}

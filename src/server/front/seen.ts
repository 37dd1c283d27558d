/**
 * Counts searches for analytics, whichever thread answered them. Shares of searches that another server gathers are not
 * counted here.
 */
import type { Seen } from "../../engine/link/seen-searches.ts";
import type { Answer } from "./answer.ts";
import type { Request, Services } from "./services.ts";

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

/** Searches of one request, each with what is known of how it went. */
export function seenAll(
  { insight, indexes }: Counting,
  request: Request,
  queries: readonly { indexUid: string; q: string | null }[],
  outcomes: readonly Seen[] | null,
): void {
  if (insight === null) return;
  const ms = elapsedMs(request);
  const snapshot = indexes.pin();
  try {
    for (const [i, { indexUid, q }] of queries.entries()) {
      // What other servers answer may be no index of this one.
      if (snapshot.index(indexUid) === null) continue;
      const outcome = outcomes?.[i];
      insight.search(indexUid, q, outcome?.found ?? null, outcome?.ms ?? ms);
    }
  } finally {
    snapshot.release();
  }
}

function elapsedMs({ startedAt }: Request): number {
  return performance.now() - startedAt;
}

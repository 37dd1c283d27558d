/** Personalized answers on a reader: makes the request to the reranking service, and applies the order it gave. */
import { apiError } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import { encodeAskedOrder } from "../link/personal.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { askingFor, type PersonalList } from "../personal/asking.ts";
import { inOrder, NoOrder, readOrder } from "../personal/order.ts";
import { viewOf } from "./search.ts";
import type { Reply, RequestContext } from "./task.ts";

/** Null when there is nothing to put in order: the answer is complete as it is. */
export function forOrder(answer: Uint8Array, personalLists: readonly PersonalList[], cutoffMs: number): Reply | null {
  const asks = personalLists.flatMap((list) => {
    const body = askingFor(list, answer);
    return body === null ? [] : [{ result: list.result, body }];
  });
  if (asks.length === 0) return null;
  const body = encodeAskedOrder({ cutoffMs, answer, asks });
  return { status: 200, contentType: "application/octet-stream", body, wants: "order" };
}

type Asked = Pick<ReaderRequests["multiSearch"], "queries" | "federation">;

/** Of several searches: one for all where they are merged, else one for each that has any. */
export function personalListsOf({ queries, federation }: Asked): PersonalList[] {
  if (federation !== null) {
    const { personalize } = federation;
    return personalize === null ? [] : [{ result: null, q: wordsOf(queries), userContext: personalize.userContext }];
  }
  return queries.flatMap(({ personalize, q }, result) =>
    personalize === null ? [] : [{ result, q, userContext: personalize.userContext }],
  );
}

export function wordsOf(queries: readonly { q: string | null }[]): string {
  const texts = queries.map(({ q }) => q?.trim() ?? "").filter((text) => text !== "");
  return [...new Set(texts)].join(", ");
}

/** The shortest time that one of the indexes gives a search. */
export function cutoffOf(uids: readonly string[], context: RequestContext): number {
  const times = uids.map((uid) => viewOf(uid, context).settings.searchCutoffMs ?? limits.searchCutoffMs);
  return times.length === 0 ? limits.searchCutoffMs : Math.min(...times);
}

/** The answer with its hits as a service has ordered them. */
export function putInOrder({ answerBytes, orders }: ReaderRequests["order"], payload: Uint8Array): Uint8Array {
  let answer = payload.subarray(0, answerBytes);
  let at = answerBytes;
  for (const { result, bytes } of orders) {
    const text = Buffer.from(payload.subarray(at, at + bytes)).toString("utf8");
    at += bytes;
    try {
      answer = inOrder(answer, result, readOrder(text));
    } catch (problem) {
      if (!(problem instanceof NoOrder)) throw problem;
      throw apiError(
        "remote_bad_response",
        `The answer of the personalization service cannot be used: ${problem.message}.`,
      );
    }
  }
  return answer;
}

/**
 * Personalized answers on the front: calls the reranking service, then has a reader apply the order. Where that takes
 * longer than the search may, the answer is given in its own order.
 */
import { apiError } from "../../base/errors/errors.ts";
import { decodeAskedOrder } from "../../engine/link/personal.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { gathered } from "./gathered.ts";
import { readerAnswer } from "./routes/common.ts";
import type { Request, Services } from "./services.ts";

/** Of one request, at a time. */
const ASKS_AT_ONCE = 4;

/** The answer itself where no order is wanted. `startedAt`: from when its time counts. */
export async function ordered(
  services: Services,
  request: Request,
  answer: Answer,
  startedAt = request.startedAt,
): Promise<Answer> {
  if (answer.wants !== "order") return answer;
  const { reranker, readers } = services;
  if (reranker === null) throw apiError("feature_not_enabled", "Personalizing a search is not enabled any more.");
  const { buffer, byteOffset, length } = answer.body as Uint8Array;
  const { cutoffMs, answer: found, asks } = decodeAskedOrder(Buffer.from(buffer, byteOffset, length));
  const gone = new AbortController();
  request.onAbort(() => gone.abort());
  const orders: { result: number | null; bytes: number }[] = [];
  const pieces: Uint8Array[] = [found];
  for (let i = 0; i < asks.length; i += ASKS_AT_ONCE) {
    const leftMs = startedAt + cutoffMs - performance.now();
    if (leftMs <= 0) break;
    const some = asks.slice(i, i + ASKS_AT_ONCE);
    const told = await Promise.all(some.map(({ body }) => reranker.rank(body, leftMs, gone.signal)));
    for (const [j, chunks] of told.entries()) {
      if (chunks === null) continue;
      orders.push({ result: some[j]!.result, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) });
      pieces.push(...chunks);
    }
  }
  if (orders.length === 0) return bytesAnswer(200, JSON_TYPE, found, null, answer.found);
  const header = { indexUid: "", answerBytes: found.length, orders };
  const inOrder = await readers.request("order", header, await gathered(pieces), request);
  return readerAnswer({ ...inOrder, found: answer.found ?? null });
}

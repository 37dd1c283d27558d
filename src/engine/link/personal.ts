/** An answer that is still to be personalized and the request to the reranking service, as bytes between threads. */
import type { Buffer } from "node:buffer";
import { decodeFramed, encodeFramed } from "./framed.ts";

interface AskedOrder {
  /** Of the request: after so long the answer is good as it is. */
  cutoffMs: number;
  answer: Uint8Array;
  asks: { result: number | null; body: Uint8Array }[];
}

interface Lengths {
  cutoffMs: number;
  answer: number;
  asks: [result: number | null, bytes: number][];
}

export function encodeAskedOrder({ cutoffMs, answer, asks }: AskedOrder): Buffer {
  const lengths: Lengths = {
    cutoffMs,
    answer: answer.length,
    asks: asks.map(({ result, body }) => [result, body.length]),
  };
  return encodeFramed(lengths, [answer, ...asks.map(({ body }) => body)]);
}

export function decodeAskedOrder(bytes: Buffer): AskedOrder {
  const { head, take } = decodeFramed<Lengths>(bytes);
  const answer = take(head.answer);
  return {
    cutoffMs: head.cutoffMs,
    answer,
    asks: head.asks.map(([result, length]) => ({ result, body: take(length) })),
  };
}

/** What clients and the embed thread say to each other. Vectors travel as one buffer that moves instead of being copied. */
import type { EmbedInput, EmbedProblem, EmbedPurpose } from "./embedder.ts";

/** Numbers name calls of one port; answers may come in any order. */
export type ToEmbedThread =
  | {
      kind: "embed";
      number: number;
      purpose: EmbedPurpose;
      /** By `embedderKey()`. */
      embedder: string;
      inputs: readonly EmbedInput[];
      deadline: number | null;
    }
  | { kind: "prepare"; number: number; embedder: string }
  | { kind: "cancel"; number: number };

export type FromEmbedThread =
  /** Vectors one after the other. */
  | { kind: "vectors"; number: number; values: Float32Array<ArrayBuffer>; dimensions: number; counts: RequestCounts }
  | { kind: "prepared"; number: number; dimensions: number; counts: RequestCounts }
  | { kind: "failed"; number: number; error: EmbedProblem; counts: RequestCounts }
  /** Requests since the last message of this call, sent when one failed: the call may go on for long. */
  | { kind: "counts"; number: number; counts: RequestCounts };

/** Requests to providers, as the statistics of a batch show them. A retry is a request of its own. */
export interface RequestCounts {
  total: number;
  failed: number;
  lastError: string | null;
}

export function noRequests(): RequestCounts {
  return { total: 0, failed: 0, lastError: null };
}

export function addRequests(to: RequestCounts, more: RequestCounts): void {
  to.total += more.total;
  to.failed += more.failed;
  to.lastError = more.lastError ?? to.lastError;
}

/** What a reader thread is given when it starts, and the messages that reach it later. Shapes only. */
import type { MessagePort } from "node:worker_threads";
import type { Snapshot } from "../../storage/index/catalog.ts";
import type { AnswerCache } from "../cache/answer-cache.ts";
import type { AnswerHead, ReaderRequests, RequestKind } from "../link/requests.ts";
import type { Asking } from "./asking.ts";

export interface ReaderTask {
  /** Number of the reader: its pin, its answer ring, its mark in the slots. */
  reader: number;
  /** Of its workspace in every arena. */
  workspaceBytes: number;
  /** For the answers that this reader keeps. */
  keptBytes: number;
  /** For the documents that it read lately. */
  latelyReadBytes: number;
  databasePath: string;
  /** Whether it uses idle time after its start to make its code hot. */
  warmsUp: boolean;
  control: SharedArrayBuffer;
  requests: SharedArrayBuffer;
  idleReaders: SharedArrayBuffer;
  answers: SharedArrayBuffer;
  slots: SharedArrayBuffer;
  wakeFlag: SharedArrayBuffer;
  /** One word; 1 asks the reader to leave when the ring is empty. */
  stop: SharedArrayBuffer;
  /** One word: searches that were cut off by their deadline, counted by all readers. */
  degraded: SharedArrayBuffer;
  /** One word: answers that the front gave without asking a reader, counted by the front. */
  given: SharedArrayBuffer;
  /** To the front: that the reader is up, then the wake flag. From the front: `ReaderMessage`, read without waiting when needed. */
  port: MessagePort;
}

/** Everything but the payload, and the payload in shared memory. */
export interface LargeRequest {
  head: Uint8Array;
  payload: Uint8Array;
}

export type ReaderMessage =
  | { kind: "arena"; id: number; memory: WebAssembly.Memory }
  /** A request too long for the ring, and word that it is answered. */
  | { kind: "large"; requestId: number; request: LargeRequest }
  | { kind: "forget"; requestId: number };

/** What a handler answers: a complete HTTP body. */
export interface Reply extends AnswerHead {
  body: Uint8Array;
}

export interface RequestContext {
  /** The indexes as they stand for this request: the same snapshot at every call, released by the loop. */
  snapshot(): Snapshot;
  /** Whether nobody waits for the answer any more. */
  canceled(): boolean;
  /** Answers given lately to the parts of multi-searches; absent where none are kept. */
  kept?: AnswerCache;
  /** What parts of indexes that lie on other servers have answered; absent where nobody can be asked. */
  parts?: Asking;
  /** Counts a search whose answer is incomplete because its time was up. */
  countDegraded(): void;
}

/** May take its time asynchronously (a call to another server); the reader then serves other requests meanwhile. */
export type Handler<K extends RequestKind> = (
  header: ReaderRequests[K],
  payload: Uint8Array,
  context: RequestContext,
) => Reply | Promise<Reply>;

export type Handlers = { readonly [K in RequestKind]: Handler<K> };

/**
 * The writer thread, started ahead of what it works on: it loads its code while the main thread opens the data, and begins when
 * it is told.
 */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { serverThread } from "../../base/bundle/threads.ts";
import type { FromWriter, ToWriter, WriterStart } from "../../engine/writer/messages.ts";

/** The part of a thread that is used here, so that tests can stand in for one. */
export interface WriterThread {
  postMessage(message: ToWriter): void;
  on(event: "message", listener: (message: FromWriter) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "exit", listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

/** Lets it begin. */
export type PreparedWriter = (data: WriterStart, transfer: MessagePort[]) => WriterThread;

/** The number of a thread that has ended. */
const GONE = -1;

export function prepareWriter(): PreparedWriter {
  const { filename, execArgv } = serverThread("engine/writer/thread");
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(filename, { workerData: port2, transferList: [port2], execArgv, name: "writer" });
  // Nobody listens yet: one that is gone when it should begin is replaced then.
  thread.on("error", () => {});
  return (data, transfer) => {
    if (thread.threadId === GONE) return prepareWriter()(data, transfer);
    port1.postMessage(data, transfer);
    return thread;
  };
}

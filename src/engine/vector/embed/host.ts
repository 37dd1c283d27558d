/**
 * The embed thread as the main thread sees it: started when first needed, and again after it died. Only passes ends of
 * channels on; what is asked over them it never sees.
 *
 *   const thread = startEmbedThread(options);
 *   const front = new EmbedClient((port) => thread.take(port));
 *   const { port1, port2 } = new MessageChannel();
 *   thread.serve(port1);       // in the writer: new EmbedClient(connectThrough(port2))
 */
import { type MessagePort, Worker } from "node:worker_threads";
import { serverThread, type ThreadFile } from "../../../base/bundle/threads.ts";
import type { Log } from "../../../base/log/log.ts";
import type { DownloadProgress } from "./local/download.ts";
import { type EmbedVariables, embedVariables } from "./variables.ts";

/** What the thread is started with. */
export interface EmbedStart {
  allowedIpNetworks: readonly string[];
  /** Query vectors kept; 0 keeps none. */
  cacheEntries: number;
  modelsDir: string | null;
  /** Whether models that are not there are downloaded. */
  modelsDownload: boolean;
  variables: EmbedVariables;
}

/** A ping is answered by any message; one that says something says how far a download is. */
export type ToEmbedWorker = { kind: "serve"; port: MessagePort } | { kind: "ping" } | { kind: "stop" };

/** A thread that has not left by itself after this long hangs. */
const LEAVING_MS = 10_000;

export interface EmbedThreadOptions {
  allowedIpNetworks: readonly string[];
  cacheEntries: number;
  modelsDir: string | null;
  modelsDownload: boolean;
  log: Pick<Log, "error" | "info">;
  /** Where keys and addresses that no setting names come from; the variables of the process by default. */
  env?: NodeJS.ProcessEnv;
  /** Another thread, for tests. */
  file?: ThreadFile;
}

/** Starts nothing yet. */
export function startEmbedThread(options: EmbedThreadOptions): EmbedThread {
  return new EmbedThread(options);
}

export class EmbedThread {
  readonly #options: EmbedThreadOptions;
  #worker: Worker | null = null;
  /** Ends that wait for a sign of life. */
  #waiting: MessagePort[] = [];
  #stopped = false;

  constructor(options: EmbedThreadOptions) {
    this.#options = options;
  }

  /** Gives one end of a channel to the thread. */
  take(port: MessagePort): void {
    if (this.#stopped) {
      port.close();
    } else if (this.#worker === null) {
      this.#worker = this.#spawn();
      this.#give(this.#worker, port);
    } else {
      // A thread may end before its exit event arrives: an end of the channel given to it would be lost with it.
      this.#waiting.push(port);
      this.#worker.postMessage({ kind: "ping" } satisfies ToEmbedWorker);
    }
  }

  /** Passes on what a client in another thread sends over `port`. */
  serve(port: MessagePort): void {
    port.on("message", (end: MessagePort) => this.take(end));
  }

  /** Calls under way fail. The thread leaves between two steps: ending it inside a native model would end the process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const worker = this.#worker;
    if (worker === null) return;
    const left = new Promise((resolve) => worker.once("exit", resolve));
    const hangs = setTimeout(() => worker.terminate(), LEAVING_MS);
    worker.postMessage({ kind: "stop" } satisfies ToEmbedWorker);
    await left;
    clearTimeout(hangs);
  }

  #give(worker: Worker, port: MessagePort): void {
    worker.postMessage({ kind: "serve", port } satisfies ToEmbedWorker, [port]);
  }

  #spawn(): Worker {
    const { allowedIpNetworks, cacheEntries, modelsDir, modelsDownload, log, env, file } = this.#options;
    const start: EmbedStart = {
      allowedIpNetworks,
      cacheEntries,
      modelsDir,
      modelsDownload,
      variables: embedVariables(env ?? process.env),
    };
    const { filename, execArgv } = file ?? serverThread("engine/vector/embed/thread");
    const worker = new Worker(filename, { workerData: start, ...(execArgv === undefined ? {} : { execArgv }) });
    worker.on("error", (error) => {
      log.error("embed", "the embedding thread failed", { cause: error.stack ?? error.message });
    });
    worker.on("message", (said: DownloadProgress | null) => {
      if (said !== null) log.info("embed", "downloading a model", { ...said });
      for (const port of this.#waiting.splice(0)) this.#give(worker, port);
    });
    worker.on("exit", () => {
      this.#worker = null;
      for (const port of this.#waiting.splice(0)) this.take(port);
    });
    return worker;
  }
}

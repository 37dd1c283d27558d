/**
 * A real server process for tests: started from the build on a free port, stopped or killed at will. It takes over the
 * environment, so that `MEILI_HTTP_TRANSPORT=node` runs all such tests on node:http.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inBackground, temporaryDirectory } from "./temporary.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const START_MS_MAX = 30_000;
/** What is waited for is asked for less and less often: on a busy machine, asking is what keeps it from coming. */
const START_POLL_MS = { first: 10, most: 80 };
const TASK_POLL_MS = { first: 2, most: 30 };
/** Far more than any task of a test takes: a test that waits longer waits for ever. */
const TASK_MS_MAX = 180_000;

export interface Answer<T = unknown> {
  status: number;
  body: T;
  headers: Headers;
}

export interface Task {
  uid: number;
  batchUid: number | null;
  status: string;
  type: string;
  indexUid: string | null;
  canceledBy: number | null;
  details: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
  customMetadata?: string;
}

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });

export class TestServer {
  readonly directory: string;
  readonly base: string;
  /** Everything the process printed. */
  output = "";
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  readonly #key: string | null;

  private constructor(directory: string, port: number, child: ChildProcess, key: string | null) {
    this.directory = directory;
    this.base = `http://127.0.0.1:${port}`;
    this.#child = child;
    this.#key = key;
    this.#exited = new Promise((resolve) =>
      child.once("exit", (code, signal) => {
        if (signal !== null) this.output += `the process was ended by ${signal}\n`;
        resolve(code);
      }),
    );
    child.stdout?.on("data", (chunk) => {
      this.output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      this.output += chunk;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  static async start(
    options: {
      directory?: string;
      port?: number;
      key?: string;
      args?: string[];
      env?: Record<string, string>;
      main?: string;
      /** Whether usage data is collected. */
      analytics?: boolean;
      /** Whether models that are not there are downloaded. */
      downloads?: boolean;
    } = {},
  ): Promise<TestServer> {
    const port = options.port ?? (await freePort());
    const directory = options.directory ?? temporaryDirectory();
    const args = ["--http-addr", `127.0.0.1:${port}`, "--db-path", path.join(directory, "db")];
    if (options.analytics !== true) args.push("--no-analytics");
    // Most of these servers live for seconds and share two cores.
    args.push("--no-rehearsal");
    if (options.downloads !== true) args.push("--models-download=false");
    args.push("--dump-dir", path.join(directory, "dumps"), "--snapshot-dir", path.join(directory, "snapshots"));
    if (options.key !== undefined) args.push("--master-key", options.key);
    const child = inBackground(
      spawn(process.execPath, [options.main ?? MAIN, ...args, ...(options.args ?? [])], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...options.env },
      }),
    );
    const server = new TestServer(directory, port, child, options.key ?? null);
    // Counted in pauses: on a machine that stops everything for a while, the clock goes on and the server does not.
    let waitedMs = 0;
    for (let pauseMs = START_POLL_MS.first; ; pauseMs = Math.min(START_POLL_MS.most, pauseMs * 1.3)) {
      const up = await fetch(`${server.base}/health`).then(
        (response) => response.ok,
        () => false,
      );
      if (up) return server;
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${server.output}`);
      if (waitedMs > START_MS_MAX) throw new Error(`the server did not start:\n${server.output}`);
      await server.#listens(pauseMs);
      waitedMs += pauseMs;
    }
  }

  /** Resolves when the process says so, or after a while. */
  #listens(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.output.includes("the server listens")) done();
      };
      const done = (): void => {
        clearTimeout(timer);
        this.#child.stdout?.off("data", look);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#child.stdout?.on("data", look);
    });
  }

  async request<T = unknown>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(this.base + url, {
      method,
      headers: {
        ...(this.#key === null ? {} : { authorization: `Bearer ${this.#key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    let parsed: unknown = null;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = text;
    }
    return { status: response.status, body: parsed as T, headers: response.headers };
  }

  /** Sends a write and waits until its task has ended, however it ended. */
  async write(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Task> {
    const answer = await this.request<{ taskUid: number }>(method, url, body, headers);
    if (answer.status !== 202 && answer.status !== 200)
      throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return this.waitTask(answer.body.taskUid);
  }

  async waitTask(uid: number): Promise<Task> {
    const end = Date.now() + TASK_MS_MAX;
    for (let pauseMs = TASK_POLL_MS.first; ; pauseMs = Math.min(TASK_POLL_MS.most, pauseMs * 1.25)) {
      const { status, body } = await this.request<Task>("GET", `/tasks/${uid}`);
      // A store that is being opened anew answers with 500 for a moment.
      if (status !== 500 && body.status !== "enqueued" && body.status !== "processing") return body;
      if (Date.now() > end) throw new Error(`task ${uid} does not end: ${JSON.stringify(body)}\n${this.output}`);
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }

  /** Ends the process as a power cut would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks the process to stop; gives its exit code. */
  async stop(signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | null> {
    return this.#end(signal);
  }

  /** Waited for, unlike a server that nobody ends. */
  #end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.ref();
    this.#child.kill(signal);
    return this.#exited;
  }

  async dispose(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

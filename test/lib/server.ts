/**
 * A real server process for tests: started from the build on a free port, stopped or killed at will. It takes over the
 * environment, so that `MEILI_HTTP_TRANSPORT=node` runs all such tests on node:http.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { HERE, type Machine } from "./machines.ts";
import { patienceOf, until, within } from "./patience.ts";
import { inBackground, temporaryDirectory } from "./temporary.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const START = { seconds: 60, firstMs: 10, mostMs: 80 };
/** Far more than any task of a test takes: a test that waits longer waits for ever. */
const TASK = { seconds: 180, firstMs: 2, mostMs: 30 };
/** A server that is told to stop lets what is under way finish. */
const END_S_MAX = 120;
/** What nobody answers ends as a failure that names it, before whoever runs the tests gives up on all of them. */
const REQUEST_S_MAX = 200;
/** Said by the process itself: at a port that was free a moment ago, another server may answer. */
const LISTENS = /the server listens.*?\d+\.\d+\.\d+\.\d+:(\d+)"/;

/** The port at which a server that was told to take any listens, once its log says so; null when it ends before. */
export async function portOf(child: ChildProcess, output: () => string): Promise<number | null> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await until(
    () => hasEnded() || LISTENS.test(output()),
    () => `the server does not say that it listens:\n${output()}`,
    START,
  );
  const [, port] = LISTENS.exec(output()) ?? [];
  return port === undefined ? null : Number(port);
}

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

interface ServerOptions {
  /** Another machine, as the network sees it. */
  machine?: Machine;
  directory?: string;
  port?: number;
  /** Its log does not say that it listens. */
  isQuiet?: boolean;
  key?: string;
  args?: string[];
  env?: Record<string, string>;
  main?: string;
  /** Whether usage data is collected. */
  analytics?: boolean;
  /** Whether models that are not there are downloaded. */
  downloads?: boolean;
}

/**
 * For programs that do not tell which port they took, and for servers whose successors take the same one: uWebSockets.js lets
 * a port that the system chose be taken again only minutes later.
 */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });

export class TestServer {
  readonly directory: string;
  /** Everything the process printed. */
  output = "";
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  readonly #key: string | null;
  readonly #host: string;
  #port: number | null;

  private constructor(
    directory: string,
    { host, port }: { host: string; port: number | null },
    child: ChildProcess,
    key: string | null,
  ) {
    this.directory = directory;
    this.#host = host;
    this.#port = port;
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

  get base(): string {
    this.#port ??= Number(LISTENS.exec(this.output)?.[1] ?? 0);
    return `http://${this.#host}:${this.#port}`;
  }

  static async start(options: ServerOptions = {}): Promise<TestServer> {
    const isQuiet = options.isQuiet ?? false;
    const server = await TestServer.#spawn(options, isQuiet);
    const isUp = async (): Promise<boolean> => {
      server.#assertAlive();
      if (!isQuiet && !LISTENS.test(server.output)) return false;
      return fetch(`${server.base}/health`).then(
        (response) => response.ok,
        () => false,
      );
    };
    await until(isUp, () => `the server did not start:\n${server.output}`, START);
    return server;
  }

  /** Starts one and ends it as a power cut would, whether it listens by then or not. */
  static async startAndKill(options: ServerOptions, afterMs: number): Promise<void> {
    const server = await TestServer.#spawn(options, false);
    await new Promise((resume) => setTimeout(resume, afterMs));
    server.#assertAlive();
    await server.kill();
  }

  static async #spawn(options: ServerOptions, isQuiet: boolean): Promise<TestServer> {
    const port = options.port ?? (isQuiet ? await freePort() : 0);
    const directory = options.directory ?? temporaryDirectory();
    const { address: host, command } = options.machine ?? HERE;
    const args = ["--http-addr", `${host}:${port}`, "--db-path", path.join(directory, "db")];
    if (options.analytics !== true) args.push("--no-analytics");
    // Most of these servers live for seconds and share two cores.
    args.push("--no-warmup");
    if (options.downloads !== true) args.push("--models-download=false");
    args.push("--dump-dir", path.join(directory, "dumps"), "--snapshot-dir", path.join(directory, "snapshots"));
    if (options.key !== undefined) args.push("--master-key", options.key);
    const [program, ...rest] = [...command, process.execPath, options.main ?? MAIN, ...args, ...(options.args ?? [])];
    const child = inBackground(
      spawn(program!, rest, {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...options.env },
      }),
    );
    return new TestServer(directory, { host, port: isQuiet ? port : null }, child, options.key ?? null);
  }

  async request<T = unknown>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const [signal, settled] = patienceOf(
      REQUEST_S_MAX,
      () => `${method} ${url} has no answer; the server said:\n${this.output}`,
    );
    try {
      const response = await fetch(this.base + url, {
        method,
        headers: {
          ...(this.#key === null ? {} : { authorization: `Bearer ${this.#key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
        signal,
      });
      const text = await response.text();
      return { status: response.status, body: parsedOr(text) as T, headers: response.headers };
    } catch (error) {
      this.#assertAlive(error);
      throw error;
    } finally {
      settled();
    }
  }

  /** Sends a write and waits until its task has ended, however it ended. */
  async write(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Task> {
    const answer = await this.request<{ taskUid: number }>(method, url, body, headers);
    if (answer.status !== 202 && answer.status !== 200)
      throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return this.waitTask(answer.body.taskUid);
  }

  async waitTask(uid: number): Promise<Task> {
    let task: Task | null = null;
    const isFinished = async (): Promise<boolean> => {
      const { status, body } = await this.request<Task>("GET", `/tasks/${uid}`);
      task = body;
      // A store that is being opened anew answers with 500 for a moment, and one of several servers that is cut off with 503.
      return status < 500 && body.status !== "enqueued" && body.status !== "processing";
    };
    await until(isFinished, () => `task ${uid} does not end: ${JSON.stringify(task)}\n${this.output}`, TASK);
    return task as unknown as Task;
  }

  /** Ends the process as a power cut would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Asks the process to stop; gives its exit code. */
  async stop(signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | null> {
    return this.#end(signal);
  }

  /** Its exit code, or the signal that ended it; null while it runs. */
  get ended(): number | string | null {
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  #assertAlive(cause?: unknown): void {
    const { ended } = this;
    if (ended !== null) throw new Error(`the server ended with ${ended}:\n${this.output}`, { cause });
  }

  /** Waited for, unlike a server that nobody ends. */
  #end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.ref();
    this.#child.kill(signal);
    return within(this.#exited, () => `the server does not end on ${signal}:\n${this.output}`, END_S_MAX);
  }

  async dispose(): Promise<void> {
    if (this.ended === null) await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** What a text says as JSON, or the text. */
function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

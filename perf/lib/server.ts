/** A server under measurement: one that we start by a command, or one that is running already at a URL. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "./client.ts";
import type { Address } from "./connection.ts";
import { cpuSecondsOf, firstThreadSecondsOf, processTree } from "./process-tree.ts";

const START_MS_MAX = 120_000;
const SETTLE_MS_MAX = 60_000;
/** A server whose processes nobody can see is given this long for what it does in the background. */
const UNSEEN_SETTLE_MS = 5000;
const IDLE_CPU_SHARE = 0.05;

export class Server {
  readonly name: string;
  readonly key = "perfMasterKey0123456789";
  readonly #target: string;
  #child: ChildProcess | null = null;
  #directory: string | null = null;
  readonly #dataPath: string | null;
  #port = 0;

  /** `target` is a URL, or a command with {port}, {dir} and {key} in it; `dataPath` is data that is there and stays. */
  constructor(name: string, target: string, dataPath: string | null = null) {
    this.name = name;
    this.#target = target;
    this.#dataPath = dataPath;
  }

  get ownsProcess(): boolean {
    return !/^https?:/.test(this.#target);
  }

  get url(): string {
    return this.ownsProcess ? `http://127.0.0.1:${this.#port}` : this.#target;
  }

  get address(): Address {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: port === "" ? 80 : Number(port) };
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.name} is not running as a process of ours`);
    return this.#child.pid;
  }

  client(): Client {
    return new Client(this.url, this.key);
  }

  /** Milliseconds from the start of the process to the first answer of `/health`. */
  async start(): Promise<number> {
    if (!this.ownsProcess) return 0;
    this.#directory ??= mkdtempSync(path.join(os.tmpdir(), `perf-${this.name}-`));
    // The same one when it is started again: clients come back to it.
    if (this.#port === 0) this.#port = 20_000 + Math.floor(Math.random() * 20_000);
    const command = this.#target
      .replaceAll("{port}", `${this.#port}`)
      .replaceAll("{dir}", this.#databasePath(this.#directory))
      .replaceAll("{key}", this.key);
    const log = openSync(`${this.#directory}/log`, "a");
    const begin = performance.now();
    const child = spawn("bash", ["-c", `exec ${command}`], { stdio: ["ignore", log, log] });
    this.#child = child;
    const client = this.client();
    for (;;) {
      const up = await client.request("GET", "/health").then(
        (answer) => answer.status === 200,
        () => false,
      );
      if (up) break;
      if (child.exitCode !== null) throw new Error(`${this.name} ended: see ${this.#directory}/log`);
      if (performance.now() - begin > START_MS_MAX) throw new Error(`${this.name} did not start`);
      await new Promise((resume) => setTimeout(resume, 2));
    }
    client.close();
    return performance.now() - begin;
  }

  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  /** As a power cut would, but for what the system still has to write. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    const hard = setTimeout(() => child.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(hard);
  }

  async dispose(): Promise<void> {
    await this.stop();
    if (this.#directory !== null) rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Waits until what goes on in the background (merges after indexing) is over. */
  async settle(): Promise<void> {
    const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));
    if (!this.ownsProcess) return await pause(UNSEEN_SETTLE_MS);
    const end = performance.now() + SETTLE_MS_MAX;
    for (let quiet = 0; quiet < 2 && performance.now() < end; ) {
      const before = this.cpuSeconds();
      await pause(1000);
      quiet = this.cpuSeconds() - before < IDLE_CPU_SHARE ? quiet + 1 : 0;
    }
  }

  /** CPU time that the process and its children have taken so far; not a number for one we did not start. */
  cpuSeconds(): number {
    if (!this.ownsProcess) return Number.NaN;
    return cpuSecondsOf(this.#pids());
  }

  /** The same of the thread that takes requests, and no process before ours. */
  frontSeconds(): number {
    return firstThreadSecondsOf(this.pid);
  }

  /** Resident megabytes of the process and its children. */
  residentMb(): number {
    return this.#pids().reduce((sum, pid) => {
      try {
        const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
        return sum + Number(rss?.[1] ?? 0) / 1024;
      } catch {
        return sum;
      }
    }, 0);
  }

  diskMb(): number {
    if (this.#directory === null) return Number.NaN;
    const listing = execFileSync("du", ["-s", "--block-size=1K", this.#databasePath(this.#directory)]).toString();
    return Number(listing.split("\t")[0]) / 1024;
  }

  #databasePath(directory: string): string {
    return this.#dataPath ?? `${directory}/db`;
  }

  #pids(): number[] {
    return this.#child?.pid === undefined ? [] : processTree(this.#child.pid);
  }
}

/**
 * Many clients that wait: some for tasks that they made, behind one that is held up, some for whatever changes in an index. All of
 * them must hear what they wait for, also those who were away for a while, and the memory of the server is bounded.
 */
import { readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";
import { Stream } from "./stream.ts";

interface WaitingReport {
  streams: number;
  waits: number;
  /** Changes that a stream should have told of and did not, all streams together. */
  missed: number;
  /** Clients whose task ended well while they waited. */
  answered: number;
  residentMbBefore: number;
  /** With all of them there. */
  residentMbMost: number;
  /** At any moment until the end. */
  residentMbPeak: number;
  /** From the last change until all streams had told of it. */
  toldMs: number;
  /** From the end of what held the tasks up until everybody had his answer. */
  answeredMs: number;
}

interface WaitingOptions {
  streams: number;
  waits: number;
  /** While all are there, and while some are away. */
  changes: number;
}

/** One of so many streams breaks off and comes back. */
const AWAY = 10;
/** Connections that are opened at the same time. */
const OPENING = 200;

export async function waiting(
  { streams: streamCount, waits, changes }: WaitingOptions,
  say: (text: string) => void,
): Promise<WaitingReport> {
  const holder = new Holder();
  const args = ["--experimental-allowed-ip-networks", "127.0.0.1/32"];
  const server = await TestServer.start({ args });
  const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
  try {
    await server.request("PATCH", "/indexes/held/settings", { embedders: { mute: await holder.embedder() } });
    await holder.isAsked;
    const residentMbBefore = residentMb(server.pid);
    const streams = Array.from(
      { length: streamCount },
      () => new Stream(`${server.base}/tasks/stream?indexUids=notes`, agent),
    );
    await inTurns(streams, (stream) => stream.open());
    if (streamCount > 0) say(`${streamCount} streams: ${residentMb(server.pid)} MB`);
    const answered: Promise<string>[] = [];
    while (answered.length < waits) {
      const group = Math.min(OPENING, waits - answered.length);
      for (let i = 0; i < group; i++) answered.push(waitFor(server, agent, answered.length));
      const early = Promise.race(answered).then((status) => Promise.reject(new Error(`not waited for: ${status}`)));
      await Promise.race([early, enqueued(server, answered.length + 1)]);
      early.catch(() => {});
    }
    const residentMbMost = residentMb(server.pid);
    if (waits > 0) say(`${waits} clients wait: ${residentMbMost} MB`);
    const seen = await write(server, changes);
    const away = streams.filter((_, i) => i % AWAY === 0);
    for (const stream of away) stream.close();
    const more = await write(server, changes);
    const changedAt = performance.now();
    await inTurns(away, (stream) => stream.open());
    await Promise.all(streams.map((stream) => stream.hasSeen(more.at(-1)!)));
    const toldMs = Math.round(performance.now() - changedAt);
    if (streamCount > 0) say(`all streams have heard the last change, after ${toldMs} ms`);
    const missed = [...seen, ...more].reduce(
      (sum, uid) => sum + streams.filter((stream) => !stream.finished.has(uid)).length,
      0,
    );
    const letGoAt = performance.now();
    holder.letGo();
    const statuses = await Promise.all(answered);
    const answeredMs = Math.round(performance.now() - letGoAt);
    for (const stream of streams) stream.close();
    const well = statuses.filter((status) => status === "succeeded").length;
    const memory = { residentMbBefore, residentMbMost, residentMbPeak: residentMb(server.pid, "VmHWM") };
    return { streams: streamCount, waits, missed, answered: well, ...memory, toldMs, answeredMs };
  } finally {
    holder.close();
    agent.destroy();
    await server.kill();
    await server.dispose();
  }
}

/** An embedder that answers when it is told to. */
class Holder {
  readonly #held: http.ServerResponse[] = [];
  readonly #server: http.Server;
  readonly isAsked: Promise<void>;
  #isOpen = false;

  constructor() {
    let asked = (): void => {};
    this.isAsked = new Promise((resolve) => {
      asked = resolve;
    });
    this.#server = http.createServer((request, response) => {
      request.resume();
      asked();
      if (this.#isOpen) answer(response);
      else this.#held.push(response);
    });
  }

  async embedder(): Promise<Record<string, unknown>> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    const texts = { request: "{{text}}", response: "{{embedding}}" };
    return { source: "rest", url: `http://127.0.0.1:${port}/`, documentTemplate: "x", ...texts };
  }

  letGo(): void {
    this.#isOpen = true;
    for (const response of this.#held) answer(response);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function answer(response: http.ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).end("[1,0]");
}

/** How the task ended, as the answer to the request that made it tells. */
function waitFor(server: TestServer, agent: http.Agent, id: number): Promise<string> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", prefer: "wait=600" };
    const request = http.request(
      `${server.base}/indexes/held/documents`,
      { method: "POST", agent, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve((JSON.parse(text) as { status: string }).status));
      },
    );
    request.on("error", (error) => resolve(String(error)));
    request.end(JSON.stringify([{ id }]));
  });
}

/** The tasks. */
async function write(server: TestServer, changes: number): Promise<number[]> {
  const uids: number[] = [];
  for (let id = 0; id < changes; id++)
    uids.push((await server.write("POST", "/indexes/notes/documents", [{ id }])).uid);
  return uids;
}

async function enqueued(server: TestServer, count: number): Promise<void> {
  await until(
    async () => {
      const { body } = await server.request<{ total: number }>("GET", "/tasks?indexUids=held&limit=0");
      return body.total >= count;
    },
    () => `${count} tasks are enqueued`,
  );
}

async function inTurns<T>(all: readonly T[], open: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += OPENING) await Promise.all(all.slice(at, at + OPENING).map(open));
}

function residentMb(pid: number, figure: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)![1]) / 1024);
}

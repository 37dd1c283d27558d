/** Clients that write documents of their own to servers that come and go, and know which ones were taken. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { TestServer } from "../lib/server.ts";
import { ask, idle, until } from "./cluster.ts";
import { atEnd } from "./ending.ts";

interface Found {
  results: { id: number }[];
  total: number;
}

export class Clients {
  #isStopped = false;
  #running: Promise<void>[] = [];
  readonly #counts: number[];
  readonly #taken: number[] = [];
  /** Those that are asked now. */
  servers: readonly TestServer[];
  /** The longest time between two documents that were taken, in milliseconds. */
  longestGap = 0;
  #lastTaken = performance.now();

  constructor(count: number, servers: readonly TestServer[]) {
    this.servers = servers;
    this.#counts = Array.from({ length: count }, () => 0);
    this.resume();
    atEnd(() => this.stop());
  }

  /** The ids of all that were answered with 202, in order. */
  async stop(): Promise<number[]> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    return this.#taken.sort((a, b) => a - b);
  }

  /** Writes on after a stop. */
  resume(): void {
    this.#isStopped = false;
    this.#lastTaken = performance.now();
    this.#running = this.#counts.map((_, client) => this.#write(client));
  }

  async #write(client: number): Promise<void> {
    while (!this.#isStopped) {
      const i = this.#counts[client]!++;
      const id = client * 1_000_000 + i;
      const server = this.servers[(client + i) % this.servers.length]!;
      const answer = await server.request("POST", "/indexes/all/documents", [{ id, client }]).catch(() => null);
      if (answer?.status === 202) {
        this.#taken.push(id);
        const now = performance.now();
        this.longestGap = Math.max(this.longestGap, now - this.#lastTaken);
        this.#lastTaken = now;
      }
      // One that is being killed takes nothing; it is not asked a thousand times a second.
      else await new Promise((resume) => setTimeout(resume, 20));
    }
  }
}

export async function countOn(server: TestServer): Promise<number> {
  return (await server.request<Found>("GET", "/indexes/all/documents?limit=1")).body.total ?? 0;
}

/** Resolves when a server shows more documents than now. */
export async function growsOn(server: TestServer): Promise<void> {
  const before = await countOn(server);
  await until("more documents", async () => (await countOn(server)) > before + 5);
}

/**
 * What was taken is there once, the same on all servers, and no task failed. A server may be behind the others for a while, as
 * one that was paused is: so it is waited for.
 */
export async function mustHaveAll(servers: readonly TestServer[], taken: readonly number[]): Promise<void> {
  let lists: number[][] = [];
  await until("the same documents, and all that were taken, on every server", async () => {
    lists = await Promise.all(servers.map(idsOn));
    // One whose answer was lost may be there as well.
    const there = new Set(lists[0]);
    return lists.every((list) => isDeepStrictEqual(list, lists[0])) && taken.every((id) => there.has(id));
  });
  assert.equal(new Set(lists[0]).size, lists[0]!.length);
  for (const server of servers) {
    await idle(server);
    const failed = await ask<Found>(server, "GET", "/tasks?statuses=failed,canceled");
    assert.equal(failed.body.total, 0);
  }
}

async function idsOn(server: TestServer): Promise<number[]> {
  const { body } = await ask<Found>(server, "GET", "/indexes/all/documents?limit=1000000&fields=id");
  return body.results.map(({ id }) => id).sort((a, b) => a - b);
}

/** Clients that write documents of their own to servers that come and go, and know which ones were taken. */
import assert from "node:assert/strict";
import type { TestServer } from "../lib/server.ts";

interface Found {
  results: { id: number }[];
  total: number;
}

export class Clients {
  #isStopped = false;
  readonly #running: Promise<number[]>[];
  /** Those that are asked now. */
  servers: readonly TestServer[];
  /** The longest time between two documents that were taken, in milliseconds. */
  longestGap = 0;
  #lastTaken = performance.now();

  constructor(count: number, servers: readonly TestServer[]) {
    this.servers = servers;
    this.#running = Array.from({ length: count }, (_, client) => this.#write(client));
  }

  /** The ids of all that were answered with 202, in order. */
  async stop(): Promise<number[]> {
    this.#isStopped = true;
    return (await Promise.all(this.#running)).flat().sort((a, b) => a - b);
  }

  async #write(client: number): Promise<number[]> {
    const taken: number[] = [];
    for (let i = 0; !this.#isStopped; i++) {
      const id = client * 1_000_000 + i;
      const server = this.servers[(client + i) % this.servers.length]!;
      const answer = await server.request("POST", "/indexes/all/documents", [{ id, client }]).catch(() => null);
      if (answer?.status === 202) {
        taken.push(id);
        const now = performance.now();
        this.longestGap = Math.max(this.longestGap, now - this.#lastTaken);
        this.#lastTaken = now;
      }
      // One that is being killed takes nothing; it is not asked a thousand times a second.
      else await new Promise((resume) => setTimeout(resume, 20));
    }
    return taken;
  }
}

export async function countOn(server: TestServer): Promise<number> {
  return (await server.request<Found>("GET", "/indexes/all/documents?limit=1")).body.total ?? 0;
}

/** What was taken is there once, the same on all servers, and no task failed. */
export async function mustHaveAll(servers: readonly TestServer[], taken: readonly number[]): Promise<void> {
  const lists: number[][] = [];
  for (const server of servers) {
    const { body } = await server.request<Found>("GET", "/indexes/all/documents?limit=1000000&fields=id");
    lists.push(body.results.map(({ id }) => id).sort((a, b) => a - b));
    const failed = await server.request<Found>("GET", "/tasks?statuses=failed,canceled");
    assert.equal(failed.body.total, 0);
  }
  for (const list of lists) assert.deepEqual(list, lists[0]);
  const there = new Set(lists[0]);
  assert.equal(there.size, lists[0]!.length);
  // One whose answer was lost may be there as well.
  assert.deepEqual(
    taken.filter((id) => !there.has(id)),
    [],
  );
}

/** Servers of one cluster, wherever they meet. */

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readOptions } from "../../src/server/options/options.ts";
import { DirectoryBlobs } from "../../src/storage/blobs/directory.ts";
import { DirectoryJournal } from "../../src/storage/journal/directory.ts";
import type { Journal } from "../../src/storage/journal/journal.ts";
import { openNats } from "../../src/storage/journal/open-nats.ts";
import { openStore } from "../../src/storage/store/store.ts";
import { HERE, type Machine } from "../lib/machines.ts";
import type { NatsServers } from "../lib/nats.ts";
import * as patience from "../lib/patience.ts";
import { type Answer, TestServer } from "../lib/server.ts";
import { tablesIn } from "../lib/tables.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

export const KEY = "a master key of tests";
const POLL_MS = 50;
const TROUBLED_MS_MAX = 30_000;

/** Where servers meet, as options say it and as tests open it. */
export interface MeetingPlace {
  args: string[];
  /** Where the shared files are. */
  blobs: string;
  open(): Promise<{ journal: Journal; close(): Promise<void> }>;
  /** False for one that began with data: the journal alone does not make its tables. */
  isWhole?: boolean;
}

export function inDirectory(): MeetingPlace {
  const folder = temporaryDirectory();
  return {
    args: ["--cluster", `file:${folder}`],
    blobs: join(folder, "blobs"),
    async open() {
      const journal = new DirectoryJournal(join(folder, "journal"));
      return { journal, close: () => journal.close() };
    },
  };
}

export function atNats(servers: NatsServers): MeetingPlace {
  const folder = temporaryDirectory();
  const address = servers.address("tests");
  return {
    args: ["--cluster", address, "--cluster-blobs", `file:${folder}`],
    blobs: folder,
    async open() {
      const startup = readOptions(["--cluster", address, "--cluster-blobs", `file:${folder}`], {}, "1.0.0");
      assert.ok(startup.kind === "run");
      const { place } = startup.options.cluster!;
      assert.ok(place.kind === "nats");
      const { journal, board, close } = await openNats(place, new DirectoryBlobs(folder), temporaryDirectory());
      return {
        journal,
        async close() {
          await journal.close();
          await board.close();
          await close();
        },
      };
    },
  };
}

export function optionsOf(
  { args }: Pick<MeetingPlace, "args">,
  name: string,
  more: readonly string[] = [],
): { key: string; args: string[] } {
  return { key: KEY, args: [...args, ...more, "--cluster-node", name, "--readers", "1"] };
}

export function startNode(
  place: Pick<MeetingPlace, "args">,
  name: string,
  directory?: string,
  more: readonly string[] = [],
  machine: Machine = HERE,
): Promise<TestServer> {
  const options = { ...optionsOf(place, name, more), machine };
  return TestServer.start({ ...options, ...(directory === undefined ? {} : { directory }) });
}

/** A connection that ends while it is looked, as kept ones do on a machine that stands still for a while, is a look in vain. */
export function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  let lost = "";
  const look = (): Promise<boolean> =>
    isSo().catch((problem: Error) => {
      if (problem.message !== "fetch failed" && problem.name !== "TimeoutError") throw problem;
      lost = `, at last ${problem.cause ?? problem}`;
      return false;
    });
  return patience.until(look, () => what + lost, { firstMs: POLL_MS });
}

/** On a busy machine a server may be cut off from the others for a moment, and says that it can be asked again. */
export async function ask<T>(
  server: TestServer,
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  let answer: Answer<T> | null = null;
  await until(`an answer to ${url}`, async () => {
    answer = await server.request<T>(method, url, body, headers);
    return answer.status !== 503;
  });
  return answer as unknown as Answer<T>;
}

/** Resolves when the server shows no task that is not finished; waits as long as they become fewer. */
export async function idle(server: TestServer, tell: (left: number) => void = () => {}): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    const before = left;
    await until(`an end of all tasks, of which ${before} were left`, async () => {
      const { body } = await server.request<{ total?: number }>("GET", "/tasks?statuses=enqueued,processing&limit=1");
      left = body.total ?? before;
      return left < before;
    });
    tell(left);
  }
}

/** Whether it was the last to say so. */
export function leads({ output }: TestServer): boolean {
  return (output.match(/a server leads .*/g) ?? []).at(-1)?.includes("isThisOne=true") === true;
}

/** The tables of servers that have stopped are the same, and so are those of a store that is made of the journal alone. */
export async function mustHoldTheSame(place: MeetingPlace, servers: readonly TestServer[]): Promise<string> {
  const { journal, close } = await place.open();
  const isWhole = place.isWhole !== false && (await journal.first()) === 1;
  await close();
  const stores = servers.map(({ directory }) => join(directory, "db", "store"));
  if (isWhole) stores.push(join(mkdtempSync(join(temporaryDirectory(), "replay-")), "store"));
  const read = () => Promise.all(stores.map((store) => tablesAtEnd(place, store)));
  let all = await read();
  // What a server wrote as it stopped may have come to the journal after one of them was read.
  if (!all.every((tables) => isDeepStrictEqual(tables, all[0]))) all = await read();
  for (const tables of all) assert.deepEqual(tables, all[0]);
  return Object.entries(all[0]!)
    .map(([name, list]) => `${name} ${list.length}`)
    .join(", ");
}

/** The tables of a store, or of an empty one, after the whole journal was made there. */
async function tablesAtEnd(place: MeetingPlace, storePath: string): Promise<Record<string, string[]>> {
  const { journal, close } = await place.open();
  let lose = (_problem: Error): void => {};
  // It is tried again, as a server does: NATS may still be choosing who leads.
  const patientUntil = performance.now() + TROUBLED_MS_MAX;
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  const store = openStore(storePath, {
    shared: {
      journal,
      host: {
        prepare: async () => {},
        placed: () => {},
        storing: () => {},
        applied: () => {},
        regather: () => {},
        onLost: (problem) => lose(problem),
        onTrouble: (problem) => {
          if (performance.now() > patientUntil) lose(problem);
        },
      },
    },
  });
  store.shared!.start();
  await Promise.race([lost, store.shared!.reached(await journal.last())]);
  await store.close();
  await close();
  return tablesIn(storePath);
}

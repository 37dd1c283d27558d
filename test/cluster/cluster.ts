/** Servers of one cluster that meet in a directory. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { DirectoryJournal } from "../../src/storage/journal/directory.ts";
import { openStore } from "../../src/storage/store/store.ts";
import { TestServer } from "../lib/server.ts";
import { tablesIn } from "../lib/tables.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

export const KEY = "a master key of tests";
const POLL_MS = 50;
const WAIT_MS_MAX = 120_000;

export function startNode(place: string, name: string, directory?: string): Promise<TestServer> {
  const args = ["--cluster", `file:${place}`, "--cluster-node", name, "--readers", "1"];
  return TestServer.start({ key: KEY, args, ...(directory === undefined ? {} : { directory }) });
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `this does not come: ${what}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

/** Resolves when the server shows no task that is not finished. */
export function idle(server: TestServer): Promise<void> {
  return until("an end of all tasks", async () => {
    const { body } = await server.request<{ total: number }>("GET", "/tasks?statuses=enqueued,processing&limit=1");
    return body.total === 0;
  });
}

/** The tables of a store, or of an empty one, after the whole journal was made there. The servers have stopped. */
export async function tablesAtEnd(place: string, storePath: string): Promise<Record<string, string[]>> {
  const journal = new DirectoryJournal(join(place, "journal"));
  const store = openStore(storePath, {
    shared: {
      journal,
      host: {
        prepare: async () => {},
        applied: () => {},
        regather: () => {},
        onLost: (problem) => assert.fail(problem),
        onTrouble: (problem) => assert.fail(problem),
      },
    },
  });
  store.shared!.start();
  await store.shared!.reached(await journal.last());
  await store.close();
  await journal.close();
  return tablesIn(storePath);
}

export function emptyStore(): string {
  return join(mkdtempSync(join(temporaryDirectory(), "replay-")), "store");
}

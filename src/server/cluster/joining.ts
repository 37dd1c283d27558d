/** What has to be true before a server is one of a cluster: where its store begins, and that nobody else has its name. */
import type { Log } from "../../base/log/log.ts";
import type { Board } from "../../storage/journal/board.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import { type OwnStore, openStore } from "../../storage/store/store.ts";
import { OptionError } from "../options/options.ts";
import { type Checkpoints, markOf } from "./checkpoints.ts";

/** Two servers of one name would be taken for one: how long a starting server looks whether its name is in use. */
const SAME_NAME_MS = 1500;

interface JoiningPlace {
  journal: Journal;
  checkpoints: Checkpoints;
}

/**
 * Before the store is opened: a new server, or one that was away for too long, begins with the last checkpoint. Returns whether it
 * has.
 */
export async function beginStore(
  { journal, checkpoints }: JoiningPlace,
  storePath: string,
  log: Log,
): Promise<boolean> {
  const mark = await markOf(storePath);
  const first = await journal.first();
  if (mark !== null && mark + 1 >= first) return false;
  const [newest] = await checkpoints.list();
  if (newest === undefined || newest.number + 1 < first) {
    if (first === 1) return false;
    throw new OptionError(`the journal ${journal.place} begins with record ${first}, and no checkpoint leads up to it`);
  }
  if (mark === null && (await holdsData(storePath))) return false;
  log.info("cluster", "the store is begun with a checkpoint", { record: newest.number });
  await checkpoints.fetch(newest, storePath);
  return true;
}

/** Whether it has data, and is not one of a cluster yet. */
export function isOnItsOwn(store: OwnStore): boolean {
  return store.mark() === null && (store.catalog.count() > 0 || store.tasks.count() > 0);
}

/** Returns the number of the last record of the journal. */
export async function mustFit(store: OwnStore, journal: Journal): Promise<number> {
  const mark = store.mark();
  const last = await journal.last();
  if (mark !== null && last < mark.number) {
    throw new OptionError(
      `the journal ${journal.place} ends with record ${last}, but the database has followed one up to record ${mark.number}`,
    );
  }
  return last;
}

export async function mustBeAlone(name: string, board: Board): Promise<void> {
  const notesOf = async (): Promise<(string | undefined)[]> => {
    const found: (string | undefined)[] = [];
    for (const { place, notes } of await board.look()) found[place] = notes.get(name);
    return found;
  };
  const before = await notesOf();
  if (before.every((note) => note === undefined)) return;
  await new Promise((resume) => setTimeout(resume, SAME_NAME_MS));
  const after = await notesOf();
  if (before.every((note, place) => note === undefined || after[place] === undefined || after[place] === note)) return;
  throw new OptionError(`another server of the cluster has the name \`${name}\`: give each its own (--cluster-node)`);
}

/** Whether there is anything that a server on its own has written. */
async function holdsData(storePath: string): Promise<boolean> {
  const store = openStore(storePath);
  try {
    return store.catalog.count() > 0 || store.tasks.count() > 0;
  } finally {
    await store.close();
  }
}

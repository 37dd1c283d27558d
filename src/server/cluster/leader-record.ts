/** The record of the store that says who leads. */
import type { Change } from "../../storage/store/environment.ts";
import type { OwnStore } from "../../storage/store/store.ts";
import { tablePosition } from "../../storage/store/tables.ts";
import type { LeaderRecord } from "../front/cluster-view.ts";
import { bytesOf } from "./files.ts";

const LEADER = "leader";
const META = tablePosition("meta");

export function storedLeader(store: OwnStore): LeaderRecord | null {
  store.refresh();
  return (store.meta.get(LEADER) as unknown as LeaderRecord | undefined) ?? null;
}

/** `next`: who leads from then on, asked when its turn has come; null where that is not to change. */
export function writeLeader(store: OwnStore, next: () => LeaderRecord | null): Promise<void> {
  return store.writeInTurn(() => {
    const leader = next();
    if (leader !== null) store.meta.put(LEADER, { ...leader });
  });
}

/** Who leads from a change on; null where it says nothing of that. */
export function leaderIn(change: Change): LeaderRecord | null {
  if (change.table !== META || change.key !== LEADER) return null;
  const bytes = bytesOf(change);
  return bytes === null ? null : (JSON.parse(Buffer.from(bytes).toString()) as LeaderRecord);
}

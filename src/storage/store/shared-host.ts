/** What a store that has a journal in common with others asks of the server around it, and tells it. */
import type { Change } from "./environment.ts";

export interface AppliedChanges {
  number: number;
  changes: readonly Change[];
  /** False when nobody here waits for it: another server wrote it, or whoever did here has been told that it is uncertain. */
  isOwn: boolean;
}

export interface SharedHost {
  /** Before the changes of another server are made: brings what they refer to. Called again when it fails. */
  prepare(changes: readonly Change[]): Promise<void>;
  /**
   * These changes have their place in the journal: what is gathered from now on comes after them. Called in order, and not while
   * anything else is gathered that has no place yet.
   */
  placed(changes: readonly Change[]): void;
  /** The changes are about to be in the tables, where others may see them before `applied` is called. Called again when that fails. */
  storing(changes: readonly Change[]): void;
  /**
   * The changes of these records are in the tables, together; their files are here of what the last of them left. Called in order, and
   * before whoever asked for them is told.
   */
  applied(run: readonly AppliedChanges[]): void;
  /** What was gathered before and not committed is void: it will be gathered anew. */
  regather(): void;
  /** The journal and the store do not belong together: nothing can go on. */
  onLost(problem: Error): void;
  /** Something fails and is tried again. */
  onTrouble(problem: Error): void;
}

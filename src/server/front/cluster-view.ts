/** What a server knows of the others that share their state with it: who is there, where, how far, and who leads. Shapes only. */
import type { BatchRecord, ProgressStep } from "../../base/contract/task.ts";
import type { Traffic } from "../../storage/blobs/measured.ts";

export interface LeaderRecord {
  /** Grows with every change. */
  term: number;
  /** Null when the last one gave it back. */
  node: string | null;
  /** Of the process: a name may be used again. */
  boot: string | null;
}

/** A batch that the leader runs. */
export interface RunningBatch extends Pick<BatchRecord, "uid" | "details" | "stats" | "startedAt" | "strategy"> {
  /** First and last uid of tasks that follow each other. */
  tasks: [first: number, last: number][];
  progress: ProgressStep[] | null;
}

/** The notes by which servers tell that they are there. */
export interface Note {
  boot: string;
  /** Changes with every note. */
  count: number;
  /** Number of the last record that is in the tables, and of the last one that searches see. */
  applied: number;
  shown: number;
  /** Whether it answers reads, or is about to: then the others wait for it before they show what came of a task. */
  isIn: boolean;
  /** The last notes that it has seen of others, by their names. */
  heard: Record<string, { boot: string; count: number }>;
  /** Where the others reach the server; null until it listens. */
  url: string | null;
  version: string;
  /** What it runs, where it leads. */
  running?: RunningBatch[];
  /** When it was written, by the clock of that server: for people, never to be compared. */
  at: number;
}

export interface Member extends Note {
  name: string;
  /** Whether it has renewed its note lately. */
  isLive: boolean;
}

/** Numbers of records of the journal. */
export interface Progress {
  /** The last one that is stored here. */
  applied: number;
  /** The last one that searches here see. */
  shown: number;
  /** The last one that any server is known to have stored. */
  last: number;
}

/** Since the start. */
export interface ClusterCounts {
  /** Records whose number another server was given first. */
  refused: number;
  sent: Traffic;
  brought: Traffic;
}

/** Others that can be asked now for what is not held here, in the order in which to ask them; who leads holds all, and is the last. */
export interface AskableServers {
  /** Those that hold all shards of the index of this id. */
  holders(id: number): Member[];
  /** Those that hold one shard of it. */
  holdersOf(id: number, shard: number): Member[];
  /** The names of those that are to hold each of its shards, this server among them, whether they can be asked or not. */
  byShard(id: number): string[][];
}

/** What the rest of a server may know of its cluster. */
export interface ClusterView {
  /** Of this server. */
  readonly name: string;
  readonly leader: LeaderRecord | null;
  readonly leads: boolean;
  readonly progress: Progress;
  readonly counts: ClusterCounts;
  /** Numbers of the last record that is stored here, and of the last one that searches here see. */
  readonly stored: number;
  readonly shown: number;
  /** Whether this server may answer reads now: it is not cut off from the others, nor far behind. */
  readonly mayAnswer: boolean;
  /** Whether a balancer should send requests here. */
  readonly isWell: boolean;
  /** Resolves with whether reads may be answered here that see the record of this number, or none after a while. */
  ready(number: number): Promise<boolean>;
  /** Resolves with whether what the journal had by then is stored here; false after a while where that cannot be. */
  caughtUp(): Promise<boolean>;
  readonly askable: AskableServers;
  /** Every server that has left a note and not taken it back, this one included, in the order of their names. */
  members(): Member[];
}

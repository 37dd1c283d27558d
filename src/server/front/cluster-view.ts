/** What a server knows of the others that share their state with it: who is there, where, how far, and who leads. Shapes only. */

export interface LeaderRecord {
  /** Grows with every change. */
  term: number;
  /** Null when the last one gave it back. */
  node: string | null;
  /** Of the process: a name may be used again. */
  boot: string | null;
}

/** The notes by which servers tell that they are there. */
export interface Note {
  boot: string;
  /** Changes with every note. */
  count: number;
  /** Number of the last record that is in the tables, and of the last one that searches see. */
  applied: number;
  shown: number;
  /** Where the others reach the server; null until it listens. */
  url: string | null;
  version: string;
  /** When it was written, by the clock of that server: for people, never to be compared. */
  at: number;
}

export interface Member extends Note {
  name: string;
  /** Whether it has renewed its note lately. */
  isLive: boolean;
}

/** What the rest of a server may know of its cluster. */
export interface ClusterView {
  /** Of this server. */
  readonly name: string;
  readonly leader: LeaderRecord | null;
  readonly leads: boolean;
  /** Every server that has left a note and not taken it back, this one included, in the order of their names. */
  members(): Member[];
}

/** What a phase of the measurement gets, and how it reports. */
import type { Corpus } from "./corpus.ts";
import type { Server } from "./server.ts";
import type { Figure } from "./stats.ts";

export interface PhaseContext {
  server: Server;
  corpora: Corpus[];
  /** The index with the most documents: small writes and reads are measured on it. */
  largest: Corpus;
  report(phase: string, name: string, unit: string, value: number, better: Figure["better"]): void;
  /** Progress, for whoever watches. */
  say(text: string): void;
}

export type Phase = (context: PhaseContext) => Promise<void>;

/** What a phase of the measurement gets, and how it reports. */
import type { Corpus } from "./corpus.ts";
import type { SearchBody } from "./queries.ts";
import type { Server } from "./server.ts";
import type { Figure } from "./stats.ts";

type Report = (phase: string, name: string, unit: string, value: number, better: Figure["better"]) => void;

export interface PhaseContext {
  server: Server;
  corpora: Corpus[];
  /** The index with the most documents: small writes and reads are measured on it. */
  largest: Corpus;
  /** How long each throughput is measured, and how many searches the memory is watched for. */
  seconds: number;
  searches: number;
  /** Searches to measure beside our own, by index. */
  givenQueries: Record<string, SearchBody[]>;
  report: Report;
  /** A figure that the table shows only when asked for. */
  detail: Report;
  /** Progress, for whoever watches. */
  say(text: string): void;
}

export type Phase = (context: PhaseContext) => Promise<void>;

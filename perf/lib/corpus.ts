/**
 * What is indexed: NDJSON files of a data folder where they are there, otherwise documents made here from a fixed
 * seed, with word frequencies that fall like those of natural text.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export interface Corpus {
  uid: string;
  settings: Record<string, unknown>;
  /** NDJSON payloads, sent one after the other. */
  payloads: string[];
  documents: number;
  bytes: number;
}

const FILES: { uid: string; file: string; chunk: number; settings: Record<string, unknown> }[] = [
  {
    uid: "movies",
    file: "movies-official-18k.ndjson",
    chunk: Number.POSITIVE_INFINITY,
    settings: {
      searchableAttributes: ["title", "overview"],
      filterableAttributes: ["genres", "release_date"],
      sortableAttributes: ["release_date"],
    },
  },
  {
    uid: "films",
    file: "movies.ndjson",
    chunk: Number.POSITIVE_INFINITY,
    settings: {
      searchableAttributes: ["title", "overview", "cast"],
      filterableAttributes: ["genres", "cast", "year", "decade"],
      sortableAttributes: ["year"],
    },
  },
  {
    uid: "packages",
    file: "debian-packages.ndjson",
    chunk: Number.POSITIVE_INFINITY,
    settings: {
      searchableAttributes: ["name", "summary", "description"],
      filterableAttributes: ["section", "priority", "maintainer", "tags"],
      sortableAttributes: ["size", "installed_size"],
    },
  },
  {
    uid: "entries",
    file: "dict-1m.ndjson",
    chunk: 100_000,
    settings: {
      searchableAttributes: ["headword", "definition"],
      filterableAttributes: ["dict", "from", "to"],
      sortableAttributes: [],
    },
  },
];

/** The named files of a folder, without those that are missing. */
export function corporaIn(folder: string): Corpus[] {
  return FILES.filter((entry) => existsSync(path.join(folder, entry.file))).map((entry) => {
    const lines = readFileSync(path.join(folder, entry.file), "utf8").trimEnd().split("\n");
    return corpusOf(entry.uid, entry.settings, lines, entry.chunk);
  });
}

/** Documents with a title, a body, a category and a number. The same count gives the same documents. */
export function syntheticCorpus(documents: number): Corpus {
  const random = mulberry32(7);
  const words = vocabulary(30_000, random);
  const lines: string[] = [];
  for (let id = 0; id < documents; id++) {
    const sentence = (length: number) => Array.from({ length }, () => words[zipf(words.length, random)]).join(" ");
    const title = sentence(2 + Math.floor(random() * 5));
    const body = sentence(20 + Math.floor(random() * 60));
    const category = `category-${zipf(40, random)}`;
    lines.push(JSON.stringify({ id, title, body, category, number: Math.floor(random() * 10_000) }));
  }
  const settings = {
    searchableAttributes: ["title", "body"],
    filterableAttributes: ["category", "number"],
    sortableAttributes: ["number"],
  };
  return corpusOf("synthetic", settings, lines, 100_000);
}

function corpusOf(uid: string, settings: Record<string, unknown>, lines: string[], chunk: number): Corpus {
  const payloads: string[] = [];
  const step = Math.min(chunk, lines.length);
  for (let i = 0; i < lines.length; i += step) payloads.push(`${lines.slice(i, i + step).join("\n")}\n`);
  return {
    uid,
    settings,
    payloads,
    documents: lines.length,
    bytes: payloads.reduce((n, p) => n + Buffer.byteLength(p), 0),
  };
}

function vocabulary(size: number, random: () => number): string[] {
  const letters = "etaoinshrdlucmfwypvbgkjqxz";
  const seen = new Set<string>();
  while (seen.size < size) {
    const length = 2 + Math.floor(random() * 9);
    let word = "";
    for (let i = 0; i < length; i++) word += letters[Math.floor(random() ** 1.7 * letters.length)];
    seen.add(word);
  }
  return [...seen];
}

/** Rank r is drawn about 1/r as often as rank 1. */
const zipf = (size: number, random: () => number): number => Math.floor(size ** random()) - 1;

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

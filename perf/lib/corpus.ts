/**
 * What is indexed: NDJSON files of a data folder where they are there, otherwise documents made here from a fixed
 * seed, with word frequencies that fall like those of natural text.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { mulberry32 } from "./random.ts";

export interface Corpus {
  uid: string;
  settings: Record<string, unknown>;
  /** Of the settings: fields whose words are searched, the most important first. */
  searchable: string[];
  /** Of the settings: a field that documents are grouped by. */
  facet: string;
  /** NDJSON payloads, sent one after the other. */
  payloads: string[];
  documents: number;
  bytes: number;
}

interface Settings extends Record<string, unknown> {
  searchableAttributes: string[];
}

interface Kind {
  uid: string;
  settings: Settings;
  facet: string;
  /** Documents of one payload. */
  chunk: number;
}

const FILES: (Kind & { file: string })[] = [
  {
    uid: "movies",
    file: "movies-official-18k.ndjson",
    chunk: Number.POSITIVE_INFINITY,
    facet: "genres",
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
    facet: "genres",
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
    facet: "section",
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
    facet: "from",
    settings: {
      searchableAttributes: ["headword", "definition"],
      filterableAttributes: ["dict", "from", "to"],
      sortableAttributes: [],
    },
  },
];

/** The known files of a folder, without those that are missing; `uids` says which of them, null all. */
export function corporaIn(folder: string, uids: readonly string[] | null): Corpus[] {
  const wanted = FILES.filter(({ uid, file }) => (uids?.includes(uid) ?? true) && existsSync(path.join(folder, file)));
  return wanted.map((entry) => {
    const lines = readFileSync(path.join(folder, entry.file), "utf8").trimEnd().split("\n");
    return corpusOf(entry, lines);
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
  return corpusOf({ uid: "synthetic", settings, facet: "category", chunk: 100_000 }, lines);
}

/** Up to `count` documents, at equal distances, so that they are like the whole. */
export function spreadDocuments({ payloads, documents }: Corpus, count: number): Record<string, unknown>[] {
  const step = Math.max(1, documents / count);
  const kept: Record<string, unknown>[] = [];
  let i = 0;
  for (const payload of payloads) {
    for (let at = 0; at < payload.length; i++) {
      const end = payload.indexOf("\n", at);
      if (i >= kept.length * step) kept.push(JSON.parse(payload.slice(at, end)) as Record<string, unknown>);
      at = end + 1;
    }
  }
  return kept;
}

function corpusOf({ uid, settings, facet, chunk }: Kind, lines: string[]): Corpus {
  const payloads: string[] = [];
  const step = Math.min(chunk, lines.length);
  for (let i = 0; i < lines.length; i += step) payloads.push(`${lines.slice(i, i + step).join("\n")}\n`);
  return {
    uid,
    settings,
    searchable: settings.searchableAttributes,
    facet,
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

/** Building, opening and dumping segments in tests, and a plain indexer to compare with. */
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { headerOf } from "../../../perf/lib/opened-segments.ts";
import { idsOf } from "../../../src/base/document/id-list.ts";
import { createTokenizer } from "../../../src/base/text/tokenizer.ts";
import type { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { buildSegment } from "../../../src/storage/segment/build.ts";
import { loadHotParts, putSegment } from "../../../src/storage/segment/container.ts";
import type { BuiltSegment } from "../../../src/storage/segment/parts.ts";
import { NO_ROW, PostingsCursor } from "../../../src/storage/segment/postings/cursor.ts";
import { SegmentReader } from "../../../src/storage/segment/reader.ts";
import type { ExtractionRules } from "../../../src/storage/segment/rules.ts";
import { TermEntry, TermWalk } from "../../../src/storage/segment/terms/reader.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

export type Doc = Record<string, unknown>;

export interface Row {
  docid: number;
  id: string;
  doc: Doc;
}

export const EVERYTHING: ExtractionRules = {
  searchable: null,
  facetedTrees: [],
  facetedNames: [],
  facetedPatterns: [],
  localized: [],
  stopWords: [],
  separators: [],
  nonSeparators: [],
  dictionary: [],
  geo: false,
  geojson: false,
  embedders: [],
};

const folder = temporaryDirectory();
let files = 0;

export function freshPath(): string {
  return path.join(folder, `${files++}.seg`);
}

export function rowsOf(docs: readonly Doc[], firstDocid = 0): Row[] {
  return docs.map((doc, i) => ({ docid: firstDocid + i, id: String(doc["id"] ?? `row-${firstDocid + i}`), doc }));
}

export function build(rows: readonly Row[], rules: ExtractionRules = EVERYTHING): BuiltSegment {
  const bodies = rows.map(({ doc }) => Buffer.from(JSON.stringify(doc)));
  const offsets = new Float64Array(rows.length + 1);
  bodies.forEach((body, i) => {
    offsets[i + 1] = offsets[i]! + body.length;
  });
  return buildSegment({
    docids: Uint32Array.from(rows, ({ docid }) => docid),
    externalIds: idsOf(rows.map(({ id }) => id)),
    documents: new Uint8Array(Buffer.concat(bodies)),
    offsets,
    rules,
  });
}

/** Not durable: waiting for the disk took most of the time in tests that write thousands. */
export function write(segment: BuiltSegment): string {
  const file = freshPath();
  const fd = openSync(file, "wx");
  putSegment(fd, segment);
  closeSync(fd);
  return file;
}

/** Opens a segment file the way readers do: hot parts in shared memory. */
export function open(file: string): SegmentReader {
  const header = headerOf(file);
  const hot = new Uint8Array(new SharedArrayBuffer(header.hotBytes));
  loadHotParts(file, header, hot);
  return new SegmentReader(hot, file);
}

/** Term to sorted lines "docid field position". */
type Occurrences = Map<string, string[]>;

export function dump(reader: SegmentReader, live: Bitmap | null = null): Occurrences {
  const found: Occurrences = new Map();
  const walk = new TermWalk(reader.terms);
  const entry = new TermEntry();
  const cursor = new PostingsCursor(reader.postings);
  const places = new Uint32Array(70_000);
  for (let more = walk.moveTo(0); more; more = walk.next()) {
    reader.terms.entry(walk.ordinal, entry);
    cursor.open(entry);
    const lines: string[] = [];
    for (let row = cursor.next(); row !== NO_ROW; row = cursor.next()) {
      if (live !== null && !live.has(row)) continue;
      const count = cursor.places(places);
      for (let i = 0; i < count; i++) {
        lines.push(`${reader.docids[row]} ${reader.fields[places[i]! >>> 16]} ${places[i]! & 0xffff}`);
      }
    }
    found.set(walk.termText(), lines.sort());
  }
  return found;
}

interface Expected {
  occurrences: Occurrences;
  /** "docid field" to number of indexed words. */
  wordCounts: Map<string, number>;
}

/** The plain indexer: parses, walks and keeps everything in maps. */
export function index(rows: readonly Row[], rules: ExtractionRules = EVERYTHING): Expected {
  const { stopWords, separators, nonSeparators, dictionary } = rules;
  const tokenizer = createTokenizer({ stopWords, separators, nonSeparators, dictionary });
  const occurrences: Occurrences = new Map();
  const wordCounts = new Map<string, number>();
  for (const { docid, doc } of rows) {
    const positions = new Map<string, number>();
    const visit = (field: string, text: string | null): void => {
      const reserved = /^_(geo|geojson|vectors)(\.|$)/.test(field);
      const wanted = rules.searchable?.some((name) => field === name || field.startsWith(`${name}.`)) ?? true;
      if (reserved || !wanted) return;
      let position = positions.has(field) ? positions.get(field)! + 8 : 0;
      positions.set(field, position);
      if (text === null || position > 65_535) return;
      tokenizer.words(text, null, {
        word(lemma, gap) {
          position += gap;
          if (position > 65_535) return;
          positions.set(field, position);
          if (!occurrences.has(lemma)) occurrences.set(lemma, []);
          occurrences.get(lemma)!.push(`${docid} ${field} ${position}`);
          const key = `${docid} ${field}`;
          wordCounts.set(key, (wordCounts.get(key) ?? 0) + 1);
        },
        skip(gap) {
          position += gap;
        },
      });
    };
    walkObject("", doc, visit, true);
  }
  for (const lines of occurrences.values()) lines.sort();
  return { occurrences, wordCounts };
}

type Visit = (field: string, text: string | null) => void;

function walkObject(base: string, object: Doc, visit: Visit, top: boolean): void {
  for (const [key, value] of Object.entries(object)) {
    const field = base === "" ? key : `${base}.${key}`;
    if (typeof value === "object" && value !== null) {
      if (!top) visit(field, null);
      walkContainer(field, value as Doc | unknown[], visit);
    } else {
      visit(field, value === null ? null : String(value));
    }
  }
}

function walkContainer(field: string, value: Doc | unknown[], visit: Visit): void {
  const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  if (isEmpty) visit(field, null);
  else if (!Array.isArray(value)) walkObject(field, value, visit, false);
  else {
    for (const element of value) {
      if (typeof element === "object" && element !== null) walkContainer(field, element as Doc | unknown[], visit);
      else visit(field, element === null ? null : String(element));
    }
  }
}

/**
 * The `_vectors` of a stored document, entry by entry: where each lies, what it asks for, and the document with some of
 * them replaced. Works on compact bytes; numbers of vectors are passed over, not read.
 */
import { Buffer } from "node:buffer";
import { ByteSink } from "../json/bytes.ts";
import { ARRAY_END, ARRAY_START, FALSE, JsonCursor, KEY, NULL, OBJECT_START, TRUE } from "../json/cursor.ts";
import { VECTORS_FIELD } from "./pick.ts";

/** Start and end of the value under an embedder's name. */
export interface EntryPlace {
  start: number;
  end: number;
}

const outer = new JsonCursor();
const inner = new JsonCursor();

/** Where the `_vectors` object lies; null when the document has none. */
function vectorsPlace(document: Uint8Array): EntryPlace | null {
  outer.reset(document, 0, document.length);
  outer.next();
  while (outer.next() === KEY) {
    const isVectors = document[outer.start] === UNDERSCORE && outer.text() === VECTORS_FIELD;
    outer.skipValue();
    if (isVectors) return document[outer.start] === BRACE ? { start: outer.start, end: outer.end } : null;
  }
  return null;
}

const BRACE = 0x7b;
const UNDERSCORE = 0x5f;

/** By embedder name; null when the document has no `_vectors` object. */
export function vectorEntries(document: Uint8Array): Map<string, EntryPlace> | null {
  const place = vectorsPlace(document);
  if (place === null) return null;
  const entries = new Map<string, EntryPlace>();
  outer.reset(document, place.start, place.end);
  outer.next();
  while (outer.next() === KEY) {
    const name = outer.text();
    outer.skipValue();
    entries.set(name, { start: outer.start, end: outer.end });
  }
  return entries;
}

/**
 * What a client says about the vectors of an embedder: `theirs` are given and stay, or there are to be none; `kept` ones
 * are those there are, which become the client's; `given` ones may be replaced later; `made` ones are the server's.
 */
type EntryKind = "theirs" | "kept" | "given" | "made";

/** Entries that make no sense count as the client's: whoever reads their vectors says what is wrong. */
export function entryKind(document: Uint8Array, { start, end }: EntryPlace): EntryKind {
  inner.reset(document, start, end);
  if (inner.next() !== OBJECT_START) return "theirs";
  let regenerate: boolean | null = null;
  let vectors: "none" | "empty" | "some" = "none";
  while (inner.next() === KEY) {
    const name = inner.text();
    if (name === "regenerate") {
      const token = inner.next();
      if (token !== TRUE && token !== FALSE) return "theirs";
      regenerate = token === TRUE;
    } else if (name === "embeddings") {
      inner.skipValue();
      vectors = contents(document, inner.start, inner.end);
    } else return "theirs";
  }
  if (regenerate === null) return "theirs";
  if (regenerate) return vectors === "some" ? "given" : "made";
  return vectors === "none" ? "kept" : "theirs";
}

const list = new JsonCursor();

function contents(document: Uint8Array, start: number, end: number): "none" | "empty" | "some" {
  list.reset(document, start, end);
  const token = list.next();
  if (token === NULL) return "none";
  return token === ARRAY_START && list.next() === ARRAY_END ? "empty" : "some";
}

/** `{"_vectors":{…}}` with the entries of these embedders that are the client's own; null when there are none. */
export function ownVectors(document: Uint8Array, embedders: readonly string[]): Uint8Array | null {
  const entries = [...(vectorEntries(document) ?? [])].filter(([name, place]) => {
    const kind = embedders.includes(name) ? entryKind(document, place) : "made";
    return kind === "theirs" || kind === "kept";
  });
  if (entries.length === 0) return null;
  const members = entries.map(([name, place]) => `${JSON.stringify(name)}:${entryText(document, place)}`);
  return Buffer.from(`{"${VECTORS_FIELD}":{${members.join(",")}}}`);
}

/** The document with entries replaced by other JSON text, or left out where that is null. */
export function replaceVectorEntries(
  document: Uint8Array,
  changes: (name: string, place: EntryPlace) => string | null | undefined,
): Uint8Array {
  const place = vectorsPlace(document);
  if (place === null) return document;
  const out = new ByteSink(document.length);
  out.bytes(document, 0, place.start + 1);
  let first = true;
  outer.reset(document, place.start, place.end);
  outer.next();
  while (outer.next() === KEY) {
    const name = outer.text();
    const keyStart = outer.start - 1;
    outer.skipValue();
    const { start, end } = outer;
    const change = changes(name, { start, end });
    if (change === null) continue;
    if (!first) out.byte(0x2c);
    first = false;
    out.bytes(document, keyStart, start);
    if (change === undefined) out.bytes(document, start, end);
    else out.utf8(change);
  }
  out.bytes(document, place.end - 1, document.length);
  return out.view();
}

export function entryText(document: Uint8Array, { start, end }: EntryPlace): string {
  return Buffer.from(document.buffer, document.byteOffset, document.length).toString("utf8", start, end);
}

/**
 * How a document's `_vectors` are shown when asked for: entries of configured embedders in their one full form, vectors
 * that the server has made among them, all others as they were stored. Reads stored (valid, compact) bytes and segments.
 */

import { VECTORS_FIELD } from "../../base/document/pick.ts";
import type { EntryPlace } from "../../base/document/vector-entries.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, OBJECT_START, TRUE } from "../../base/json/cursor.ts";
import { doubleText } from "../../base/json/number.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { EmbedderVectors, VectorsReader } from "../../storage/segment/vectors/reader.ts";

const outer = new JsonCursor();
const inner = new JsonCursor();

/** Whole numbers up to this length are exact in single precision. */
const EXACT_BYTES = 6;

/** By embedder: in full, or only what is above zero. Under names that are no embedder's, vectors are shown as stored. */
export type VectorForms = ReadonlyMap<string, "full" | "quantized">;

export function vectorForms(embedders: Record<string, JsonObject>): VectorForms {
  return new Map(
    Object.entries(embedders).map(([name, { binaryQuantized }]) => [
      name,
      binaryQuantized === true ? "quantized" : "full",
    ]),
  );
}

/** Where the vectors of a segment lie; `SegmentReader` has it. */
export interface VectorHolder {
  readonly vectors: VectorsReader | null;
}

/** Appends the object shown under `_vectors`: every embedder is there, without vectors where it made none. */
export function shownVectors(
  document: Uint8Array,
  { vectors }: VectorHolder,
  row: number,
  forms: VectorForms,
  out: ByteSink,
): void {
  const names = new Set<string>();
  out.byte(0x7b);
  if (enterVectors(document)) {
    while (outer.next() === KEY) {
      if (names.size > 0) out.byte(0x2c);
      const name = outer.text();
      const form = forms.get(name);
      names.add(name);
      out.bytes(document, outer.start - 1, outer.end + 1);
      out.byte(0x3a);
      outer.skipValue();
      if (form === undefined) out.bytes(document, outer.start, outer.end);
      else if (isLeftToServer(document, outer.start, outer.end)) {
        madeEntry(vectors?.embedder(name) ?? null, row, true, out);
      } else fullEntry(document, outer.start, outer.end, form === "quantized", out);
    }
  }
  for (const name of forms.keys()) {
    if (names.has(name)) continue;
    if (names.size > 0) out.byte(0x2c);
    names.add(name);
    out.utf8(JSON.stringify(name));
    out.byte(0x3a);
    const embedder = vectors?.embedder(name) ?? null;
    madeEntry(embedder, row, embedder === null || embedder.slotOf(row) < 0, out);
  }
  out.byte(0x7d);
}

/** Whether a row has vectors that its document does not show. */
export function hasMadeVectors({ vectors }: VectorHolder, row: number): boolean {
  return (vectors?.embedders ?? []).some((embedder) => {
    const slot = embedder.slotOf(row);
    return slot >= 0 && embedder.mayRegenerate(slot);
  });
}

/** `{"regenerate":true}`: the document leaves its vectors to the server, which keeps them elsewhere. */
function isLeftToServer(document: Uint8Array, start: number, end: number): boolean {
  return end - start === LEFT_TO_SERVER.length && LEFT_TO_SERVER.every((byte, i) => document[start + i] === byte);
}

const LEFT_TO_SERVER = new TextEncoder().encode('{"regenerate":true}');

function madeEntry(embedder: EmbedderVectors | null, row: number, regenerate: boolean, out: ByteSink): void {
  const slot = embedder?.slotOf(row) ?? -1;
  out.ascii('{"embeddings":[');
  if (embedder !== null && slot >= 0) {
    for (let index = embedder.starts[slot]!; index < embedder.starts[slot + 1]!; index++) {
      out.ascii(index === embedder.starts[slot] ? "[" : ",[");
      out.ascii(Array.from(embedder.vector(index), doubleText).join(","));
      out.byte(0x5d);
    }
  }
  const replaceable = regenerate || (embedder !== null && slot >= 0 && embedder.mayRegenerate(slot));
  out.ascii(replaceable ? '],"regenerate":true}' : '],"regenerate":false}');
}

/** Puts the cursor inside the document's `_vectors` object; false when it has none. */
function enterVectors(document: Uint8Array): boolean {
  outer.reset(document, 0, document.length);
  outer.next();
  while (outer.next() === KEY) {
    if (outer.text() === VECTORS_FIELD) return outer.next() === OBJECT_START;
    outer.skipValue();
  }
  return false;
}

/** An entry in the form in which it is shown, as JSON text. */
export function fullEntryText(document: Uint8Array, { start, end }: EntryPlace, quantized: boolean): string {
  const out = new ByteSink(1024);
  fullEntry(document, start, end, quantized, out);
  return Buffer.from(out.view()).toString();
}

/** `null`, `[f…]`, `[[f…]…]` and `{embeddings?, regenerate}` all become `{"embeddings":[[f…]…],"regenerate":bool}`. */
function fullEntry(document: Uint8Array, start: number, end: number, quantized: boolean, out: ByteSink): void {
  let regenerate = false;
  let embeddingsStart = start;
  let embeddingsEnd = end;
  if (document[start] === 0x7b) {
    embeddingsEnd = embeddingsStart;
    inner.reset(document, start, end);
    inner.next();
    while (inner.next() === KEY) {
      const name = inner.text();
      if (name === "regenerate") {
        regenerate = inner.next() === TRUE;
      } else {
        inner.skipValue();
        if (name === "embeddings") {
          embeddingsStart = inner.start;
          embeddingsEnd = inner.end;
        }
      }
    }
  }
  out.ascii('{"embeddings":');
  listOfLists(document, embeddingsStart, embeddingsEnd, quantized, out);
  out.ascii(regenerate ? ',"regenerate":true}' : ',"regenerate":false}');
}

function listOfLists(document: Uint8Array, start: number, end: number, quantized: boolean, out: ByteSink): void {
  inner.reset(document, start, end);
  if (inner.next() !== ARRAY_START) {
    out.ascii("[]");
    return;
  }
  const single = document[start + 1] !== 0x5b && document[start + 1] !== 0x5d;
  if (single) out.byte(0x5b);
  out.byte(0x5b);
  let separate = false;
  let depth = 1;
  while (depth > 0) {
    const token = inner.next();
    if (token === ARRAY_END) {
      out.byte(0x5d);
      depth--;
      separate = true;
      continue;
    }
    if (separate) out.byte(0x2c);
    separate = token !== ARRAY_START;
    if (token === ARRAY_START) {
      out.byte(0x5b);
      depth++;
    } else {
      number(document, inner.start, inner.end, quantized, out);
    }
  }
  if (single) out.byte(0x5d);
}

/** The number as it is kept: in single precision, or as one bit. It is never shown as a whole number. */
function number(document: Uint8Array, start: number, end: number, quantized: boolean, out: ByteSink): void {
  let isWhole = end - start <= EXACT_BYTES;
  for (let i = start; i < end && isWhole; i++) isWhole = document[i]! <= 0x39 && document[i] !== 0x2e;
  if (quantized) out.ascii(Number(inner.text()) > 0 ? "1.0" : "0.0");
  else if (isWhole) {
    out.bytes(document, start, end);
    out.ascii(".0");
  } else out.ascii(doubleText(Math.fround(Number(inner.text()))));
}

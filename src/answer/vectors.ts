/**
 * How a document's `_vectors` are shown when asked for: entries of configured embedders in their one full form, all
 * others as they were stored. Reads stored (valid, compact) bytes only.
 */
import type { ByteSink } from "../document/bytes.ts";
import { VECTORS_FIELD } from "../document/pick.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, OBJECT_START, TRUE } from "../json/cursor.ts";
import { doubleText } from "../json/number.ts";
import type { JsonObject } from "../tasks/task.ts";

const outer = new JsonCursor();
const inner = new JsonCursor();

/** Whole numbers up to this length are exact in single precision. */
const EXACT_BYTES = 6;

/** Of an embedder that does not exist, of one that does, and of one that keeps only what is above zero. */
export type VectorForm = "stored" | "full" | "quantized";

export function vectorForms(embedders: Record<string, JsonObject>): (embedder: string) => VectorForm {
  return (name) => {
    if (!Object.hasOwn(embedders, name)) return "stored";
    return embedders[name]!["binaryQuantized"] === true ? "quantized" : "full";
  };
}

/** Appends the object shown under `_vectors`: `{}` when the document has none. */
export function shownVectors(document: Uint8Array, formOf: (embedder: string) => VectorForm, out: ByteSink): void {
  out.byte(0x7b);
  if (enterVectors(document)) {
    let first = true;
    while (outer.next() === KEY) {
      if (!first) out.byte(0x2c);
      first = false;
      const form = formOf(outer.text());
      out.bytes(document, outer.start - 1, outer.end + 1);
      out.byte(0x3a);
      outer.skipValue();
      if (form === "stored") out.bytes(document, outer.start, outer.end);
      else fullEntry(document, outer.start, outer.end, form === "quantized", out);
    }
  }
  out.byte(0x7d);
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

/** The number as it is kept: in single precision, or as one bit. */
function number(document: Uint8Array, start: number, end: number, quantized: boolean, out: ByteSink): void {
  let isWhole = end - start <= EXACT_BYTES;
  for (let i = start; i < end && isWhole; i++) isWhole = document[i]! <= 0x39 && document[i] !== 0x2e;
  if (quantized) out.ascii(Number(inner.text()) > 0 ? "1.0" : "0.0");
  else if (isWhole) out.bytes(document, start, end);
  else out.ascii(doubleText(Math.fround(Number(inner.text()))));
}

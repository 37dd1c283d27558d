/**
 * How a document's `_vectors` are shown when asked for: entries of configured embedders in their one full form, all
 * others as they were stored. Reads stored (valid, compact) bytes only.
 */
import type { ByteSink } from "../document/bytes.ts";
import { VECTORS_FIELD } from "../document/pick.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, NUMBER, OBJECT_START, TRUE } from "../json/cursor.ts";
import { floatText } from "../json/number.ts";

const outer = new JsonCursor();
const inner = new JsonCursor();

/** Texts up to this length have at most six significant digits, which a single-precision float keeps. */
const EXACT_FLOAT_BYTES = 6;

/** Appends the object shown under `_vectors`: `{}` when the document has none. */
export function shownVectors(document: Uint8Array, isConfigured: (embedder: string) => boolean, out: ByteSink): void {
  out.byte(0x7b);
  if (enterVectors(document)) {
    let first = true;
    while (outer.next() === KEY) {
      if (!first) out.byte(0x2c);
      first = false;
      const configured = isConfigured(outer.text());
      out.bytes(document, outer.start - 1, outer.end + 1);
      out.byte(0x3a);
      outer.skipValue();
      if (configured) fullEntry(document, outer.start, outer.end, out);
      else out.bytes(document, outer.start, outer.end);
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
function fullEntry(document: Uint8Array, start: number, end: number, out: ByteSink): void {
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
  listOfLists(document, embeddingsStart, embeddingsEnd, out);
  out.ascii(regenerate ? ',"regenerate":true}' : ',"regenerate":false}');
}

function listOfLists(document: Uint8Array, start: number, end: number, out: ByteSink): void {
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
    } else if (token === NUMBER && inner.end - inner.start > EXACT_FLOAT_BYTES) {
      out.ascii(floatText(Number(inner.text())));
    } else {
      out.bytes(document, inner.start, inner.end);
    }
  }
  if (single) out.byte(0x5d);
}

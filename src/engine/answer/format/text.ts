/**
 * One text of a document as `_formatted` shows it: its matches between tags, cropped to a window. Writes the inside of a
 * JSON string; whatever is outside tags and markers is the text itself. Most texts are formatted by compiled code instead, see
 * `compiled.ts`.
 */
import type { SearchQuery } from "../../../base/contract/search.ts";
import { ByteSink } from "../../../base/json/bytes.ts";
import { writeJsonText } from "../json-writer.ts";
import type { Match } from "./matches.ts";
import type { Window } from "./window.ts";

/** What is put into texts, already as bytes inside a JSON string. */
export interface Marks {
  preTag: Uint8Array;
  postTag: Uint8Array;
  cropMarker: Uint8Array;
}

/** A text with, where its bytes in the document are the same, the place to copy them from. */
export interface SourceText {
  text: string;
  bytes: Uint8Array | null;
  start: number;
}

type MarksQuery = Pick<SearchQuery, "highlightPreTag" | "highlightPostTag" | "cropMarker">;

/** Those made last: hardly any application uses several. */
let last: { query: MarksQuery; marks: Marks } | null = null;

export function marksOf({ highlightPreTag, highlightPostTag, cropMarker }: MarksQuery): Marks {
  if (
    last === null ||
    last.query.highlightPreTag !== highlightPreTag ||
    last.query.highlightPostTag !== highlightPostTag ||
    last.query.cropMarker !== cropMarker
  ) {
    const marks = {
      preTag: inString(highlightPreTag),
      postTag: inString(highlightPostTag),
      cropMarker: inString(cropMarker),
    };
    last = { query: { highlightPreTag, highlightPostTag, cropMarker }, marks };
  }
  return last.marks;
}

function inString(text: string): Uint8Array {
  const sink = new ByteSink(16 + text.length);
  writeJsonText(sink, text);
  return sink.copy();
}

export function writeFormattedText(
  out: ByteSink,
  source: SourceText,
  matches: readonly Match[],
  window: Window,
  marks: Marks,
): void {
  const { start, end } = window;
  if (start > 0) out.bytes(marks.cropMarker);
  let at = start;
  for (const match of matches) {
    if (match.end < start || match.start > end) continue;
    const from = Math.max(match.start, start);
    const to = Math.min(match.end, end);
    const marked = Math.min(from + match.units, to);
    writePiece(out, source, at, from);
    out.bytes(marks.preTag);
    writePiece(out, source, from, marked);
    out.bytes(marks.postTag);
    writePiece(out, source, marked, to);
    at = to;
  }
  writePiece(out, source, at, end);
  if (end < source.text.length) out.bytes(marks.cropMarker);
}

function writePiece(out: ByteSink, { text, bytes, start }: SourceText, from: number, to: number): void {
  if (from >= to) return;
  if (bytes !== null) out.bytes(bytes, start + from, start + to);
  else writeJsonText(out, text.slice(from, to));
}

/**
 * Stored documents with all their vectors, also those that the server has made and keeps beside them: what dumps and
 * exports hand on, so that nobody has to make them again.
 */

import { pickFields, VECTORS_FIELD } from "../../base/document/pick.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { hasMadeVectors, shownVectors, vectorForms } from "../answer/vectors.ts";
import { lineBytes, linesInOrder, runsInOrder, type SegmentRows } from "./documents-in-order.ts";

/** Lines are handed out when they have become this long. */
const LINES_BYTES = 1 << 18;
const NEWLINE = 0x0a;

interface DocumentLines {
  /** What all lines take; null when only writing them tells. */
  bytes: number | null;
  /** In pieces of whole lines, each valid until the next is asked for. */
  pieces: Generator<Uint8Array>;
}

/** The documents as lines of JSON, in the order of their internal ids. */
export function linesWithVectors(
  segments: readonly SegmentRows[],
  settings: Pick<Settings, "embedders">,
): DocumentLines {
  if (segments.every(({ reader }) => reader.origins === null)) {
    return { bytes: lineBytes(segments), pieces: linesInOrder(segments) };
  }
  return { bytes: null, pieces: spliced(segments, settings) };
}

function* spliced(segments: readonly SegmentRows[], { embedders }: Pick<Settings, "embedders">): Generator<Uint8Array> {
  const forms = vectorForms(embedders);
  const out = new ByteSink(2 * LINES_BYTES);
  for (const { reader, from, to } of runsInOrder(segments)) {
    for (let row = from; row < to; row++) {
      const document = reader.readDocument(row);
      if (hasMadeVectors(reader, row)) {
        const start = out.length;
        pickFields(document, null, { hideVectors: true }, out);
        out.length--;
        out.ascii(`${out.length === start + 1 ? "" : ","}"${VECTORS_FIELD}":`);
        shownVectors(document, reader, row, forms, out);
        out.byte(0x7d);
      } else {
        out.bytes(document);
      }
      out.byte(NEWLINE);
      if (out.length < LINES_BYTES) continue;
      yield out.view();
      out.reset();
    }
  }
  if (out.length > 0) yield out.view();
}

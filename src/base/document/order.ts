/**
 * The form in which a document is stored: compact, top-level members in the index's field order, of repeated names the
 * last. A document that already has that form is copied in one piece.
 */
import type { ByteSink } from "../json/bytes.ts";
import { DocumentEntries } from "./entries.ts";

const entries = new DocumentEntries();

/** Appends the stored form of `bytes[start, end)`. `fieldOrder` gives the rank of each name; it may grow, never change. */
export function storeDocument(
  bytes: Uint8Array,
  start: number,
  end: number,
  fieldOrder: ReadonlyMap<string, number>,
  out: ByteSink,
): void {
  entries.start(fieldOrder);
  entries.add(bytes, start, end);
  if (entries.ordered && !entries.spaced && !entries.respelled) out.bytes(bytes, start, end);
  else entries.write(out);
  entries.release();
}

/** Laying one version of a document over another, as bytes of their own. */
import { ByteSink } from "../../src/document/bytes.ts";
import { overlayVersions } from "../../src/document/overlay.ts";

export function overlaid(older: Uint8Array, newer: Uint8Array, fieldOrder: ReadonlyMap<string, number>): Uint8Array {
  const out = new ByteSink(older.length + newer.length);
  overlayVersions(
    [older, newer].map((bytes) => ({ bytes, start: 0, end: bytes.length })),
    fieldOrder,
    out,
  );
  return out.view();
}

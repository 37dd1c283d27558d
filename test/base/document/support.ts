/** Laying one version of a document over another, as bytes of their own. */

import { overlayVersions } from "../../../src/base/document/overlay.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";

export function overlaid(older: Uint8Array, newer: Uint8Array, fieldOrder: ReadonlyMap<string, number>): Uint8Array {
  const out = new ByteSink(older.length + newer.length);
  overlayVersions(
    [older, newer].map((bytes) => ({ bytes, start: 0, end: bytes.length })),
    fieldOrder,
    out,
  );
  return out.view();
}

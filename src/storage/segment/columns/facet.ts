/** The form in which the values of faceted fields are compared, as it is stored. */
import { Buffer } from "node:buffer";
import { limits } from "../../../base/limits.ts";
import { normalizeFacet } from "../../../base/text/normalize.ts";

/** Cut to a bounded number of bytes, never inside a character. */
export function storedFacet(original: string): string {
  const normalized = normalizeFacet(original);
  if (normalized.length * 3 <= limits.facetValueBytes || Buffer.byteLength(normalized) <= limits.facetValueBytes) {
    return normalized;
  }
  const bytes = Buffer.from(normalized);
  let end = limits.facetValueBytes;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

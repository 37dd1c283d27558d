/** Which nested fields the documents of an index are known to have: those with words, or with values in columns. */

import type { SegmentReader } from "../../storage/segment/reader.ts";
import { coversField } from "../../storage/settings/patterns.ts";

/** What is needed of a segment; `SegmentReader` has it. */
export interface KnownFields extends Pick<SegmentReader, "fields"> {
  readonly columns: Pick<SegmentReader["columns"], "fields">;
}

export type IsKnown = (name: string) => boolean;

/** The same for fields that are listed. */
export function knownAmong(fields: readonly string[]): IsKnown {
  return (name) => fields.some((field) => coversField(name, field));
}

/** Whether some document is sure to have the field itself or one below it. */
export function knownFieldsOf({
  segments,
}: {
  readonly segments: readonly { readonly reader: KnownFields }[];
}): IsKnown {
  return (name) =>
    segments.some(
      ({ reader }) =>
        reader.fields.some((field) => coversField(name, field)) ||
        reader.columns.fields().some((field) => coversField(name, field)),
    );
}

/** The documents of an index that others refer to, by their ids, as far as that index lets them be seen. */

import { FieldSelection, pickFields, VECTORS_FIELD } from "../../base/document/pick.ts";
import type { ByteSink } from "../../base/json/bytes.ts";
import type { IndexView, SegmentView } from "../../storage/index/view.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { displayedNames } from "../../storage/settings/attribute-names.ts";

/** What is needed of an index to show its documents elsewhere; `IndexView` has it. */
interface ForeignView extends Pick<IndexView, "settings" | "fieldOrder"> {
  readonly segments: readonly ForeignSegment[];
}

interface ForeignSegment extends Pick<SegmentView, "live"> {
  readonly reader: Pick<SegmentReader, "findRow" | "readDocument">;
}

export class ForeignDocuments {
  readonly #segments: readonly ForeignSegment[];
  readonly #displayed: FieldSelection | null;
  readonly #hideVectors: boolean;

  constructor({ settings, fieldOrder, segments }: ForeignView) {
    const names = displayedNames(settings);
    this.#segments = segments;
    this.#displayed = names === null ? null : FieldSelection.of(names);
    this.#hideVectors = fieldOrder.includes(VECTORS_FIELD);
  }

  /** Appends the document, `{}` when there is none. */
  write(id: string, out: ByteSink): void {
    for (const { reader, live } of this.#segments) {
      const row = reader.findRow(id);
      if (row === -1 || !live.has(row)) continue;
      pickFields(reader.readDocument(row), this.#displayed, { hideVectors: this.#hideVectors }, out);
      return;
    }
    out.ascii("{}");
  }
}

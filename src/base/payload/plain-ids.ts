/** Reads the ids and names of many documents in compiled code. */
import { desk, SLAB_BYTES, SLAB_DOCUMENTS } from "../document/desk.ts";
import { GrowingIds, type IdList } from "../document/id-list.ts";
import { JsonCursor } from "../json/cursor.ts";
import { NAME_IS_ID } from "../kernels/documents/kernels.ts";
import { FieldNames } from "./field-names.ts";
import type { PreparedPayload } from "./prepare.ts";

export interface PlainIds {
  /** One for each document. */
  ids: IdList;
  /** Top-level names in order of first appearance. */
  fields: string[];
}

/** Null when a document has to be refused, or its id is not plainly one. The key is a top-level name. */
export function scanPlainIds({ bytes, ranges }: PreparedPayload, primaryKey: string): PlainIds | null {
  const names = new FieldNames([]);
  const ids = new GrowingIds();
  const table = desk();
  const { kernels } = table;
  const cursor = new JsonCursor();
  table.open((spelled, start, end) => {
    cursor.reset(spelled, start - 1, end + 1);
    cursor.next();
    const number = names.number(spelled, cursor);
    return names.fields[number] === primaryKey ? number + NAME_IS_ID : number;
  });
  for (let first = 0; first < ranges.length; ) {
    const begin = ranges[first]!;
    const next = slabEnd(ranges, first);
    table.put(bytes.subarray(begin, ranges[next - 1]!));
    const { input, output, pairs, words } = table;
    for (let i = first; i < next; i++) words[pairs / 4 + i - first] = ranges[i]! - begin;
    kernels.scanIds(input, pairs, (next - first) / 2, output);
    if (!ids.pushLines(table.bytes, output, kernels.endOfIds())) return null;
    first = next;
  }
  return { ids: ids.finish(), fields: names.fields };
}

/** Behind the pairs of the documents that fit in a slab, but at least one. */
function slabEnd(ranges: Uint32Array, first: number): number {
  const limit = Math.min(ranges.length, first + 2 * SLAB_DOCUMENTS);
  let next = first + 2;
  while (next < limit && ranges[next + 1]! - ranges[first]! <= SLAB_BYTES) next += 2;
  return next;
}

/** Reads the ids and names of many documents in compiled code. */
import { type Desk, desk, SLAB_BYTES, SLAB_DOCUMENTS } from "../document/desk.ts";
import { GrowingIds, type IdList } from "../document/id-list.ts";
import { JsonCursor } from "../json/cursor.ts";
import { NAME_IS_ID } from "../kernels/documents/kernels.ts";
import { firstWhere } from "../sorted/binary-search.ts";
import { FieldNames } from "./field-names.ts";
import type { PreparedPayload } from "./prepare.ts";

interface PlainIds {
  /** One for each document. */
  ids: IdList;
  /** Top-level names in order of first appearance. */
  fields: string[];
  /** Whether all ids are numbers below 2^32, each above the one before. */
  isAscending: boolean;
}

/** Null when a document has to be refused, or its id is not plainly one. The key is a top-level name. */
export function scanPlainIds({ bytes, ranges }: PreparedPayload, primaryKey: string): PlainIds | null {
  return scanSlabs(ranges, primaryKey, (table, begin, end) => table.put(bytes.subarray(begin, end)));
}

/** The same of documents that `put` lays on the desk, `[begin, end)` of their payload at a time, front to back. */
export function scanSlabs(
  ranges: Uint32Array,
  primaryKey: string,
  put: (table: Desk, begin: number, end: number) => void,
): PlainIds | null {
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
    put(table, begin, ranges[next - 1]!);
    const { input, numbers, output, pairs, words } = table;
    const count = (next - first) / 2;
    words.set(ranges.subarray(first, next), pairs / 4);
    if (kernels.scanIds(input - begin, pairs, count, output, numbers, ids.length) === 0) return null;
    ids.append(table.bytes.subarray(output), table.words.subarray(numbers / 4, numbers / 4 + count));
    first = next;
  }
  return { ids: ids.finish(), fields: names.fields, isAscending: kernels.areAscending() === 1 };
}

/** Behind the pairs of the documents that fit in a slab, but at least one. */
function slabEnd(ranges: Uint32Array, first: number): number {
  const place = first / 2;
  const most = Math.min(ranges.length / 2, place + SLAB_DOCUMENTS);
  return 2 * firstWhere(place + 2, most + 1, (end) => ranges[2 * end - 1]! - ranges[first]! > SLAB_BYTES) - 2;
}

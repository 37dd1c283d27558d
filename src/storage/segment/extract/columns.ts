/** From what the compiled walk gathered of a column to its image. Numbers are read here, texts never become strings. */

import {
  COLUMN_EMPTIES,
  COLUMN_NULLS,
  COLUMN_ORDER_WORDS,
  COLUMN_PRESENT,
  COLUMN_VALUES,
} from "../../../base/kernels/extract/kernels.ts";
import { placeOf } from "../../../base/sorted/binary-search.ts";
import { type ColumnImage, forwardImage, rowSetImage } from "../columns/format.ts";
import type { Workshop } from "./workshop.ts";

export function columnImage(shop: Workshop, column: number, name: string, rows: number): ColumnImage {
  const { kernels } = shop;
  const rowSet = (which: number) =>
    rowSetImage(
      shop.list((out) => kernels.columnList(column, which, out)),
      rows,
    );
  const numbers = readNumbers(shop, column);
  const order = kernels.orderColumn(column);
  const texts = readTexts(shop, order);
  const counts = kernels.allocate(4 * rows);
  shop.words.fill(0, counts / 4, counts / 4 + rows);
  const codes = kernels.allocate(2 * kernels.columnList(column, COLUMN_VALUES, 0));
  const { codesAt, sorted } = numbers;
  const codeCount = kernels.columnCodes(column, order, codesAt, sorted.length + 1, counts, codes);
  const { words } = shop;
  return {
    name,
    numbers: sorted,
    ...texts,
    forward: forwardImage(
      words.subarray(counts / 4, counts / 4 + rows),
      words.subarray(codes / 4, codes / 4 + codeCount),
      sorted.length + texts.spellingCount,
    ),
    exists: rowSet(COLUMN_PRESENT),
    nullRows: rowSet(COLUMN_NULLS),
    emptyRows: rowSet(COLUMN_EMPTIES),
  };
}

/** Different numbers in ascending order, and where the code of each spelling is. */
function readNumbers(shop: Workshop, column: number): { sorted: Float64Array; codesAt: number } {
  const places = shop.list((out) => shop.kernels.columnNumbers(column, out), 2);
  const values = new Float64Array(places.length / 2);
  const { bytes } = shop;
  for (let i = 0; i < values.length; i++) {
    const at = places[2 * i]!;
    const value = Number(bytes.toString("latin1", at, at + places[2 * i + 1]!));
    values[i] = value === 0 ? 0 : value;
  }
  const sorted = values.toSorted().filter((value, i, all) => i === 0 || value !== all[i - 1]);
  const codesAt = shop.kernels.allocate(4 * values.length);
  const { words } = shop;
  for (let i = 0; i < values.length; i++) words[codesAt / 4 + i] = placeOf(sorted, values[i]!) + 1;
  return { sorted, codesAt };
}

function readTexts(shop: Workshop, order: number) {
  const told = shop.copyOfWords(order, COLUMN_ORDER_WORDS);
  const [stringCount, spellingCount, stringOffsetsAt, stringsAt, startsAt, spellingOffsetsAt, spellingsAt] = told;
  const stringOffsets = shop.copyOfWords(stringOffsetsAt!, stringCount! + 1);
  const spellingOffsets = shop.copyOfWords(spellingOffsetsAt!, spellingCount! + 1);
  const spellingBytes = shop.copyOfBytes(spellingsAt!, spellingOffsets.at(-1)!);
  return {
    stringOffsets,
    stringBytes: shop.copyOfBytes(stringsAt!, stringOffsets.at(-1)!),
    spellingCount: spellingCount!,
    spellingStarts: spellingCount! > stringCount! ? shop.copyOfWords(startsAt!, stringCount! + 1) : null,
    spellingOffsets: spellingBytes.length > 0 ? spellingOffsets : null,
    spellingBytes,
  };
}

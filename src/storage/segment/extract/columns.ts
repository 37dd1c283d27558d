/** From what the compiled walk gathered of a column to its image. Numbers are read here, texts never become strings. */

import { ColumnOrder, OddNumber } from "../../../base/kernels/extract/generated/layout.ts";
import { COLUMN_EMPTIES, COLUMN_NULLS, COLUMN_PRESENT, COLUMN_VALUES } from "../../../base/kernels/extract/kernels.ts";
import { type ColumnImage, forwardImage, rowSetImage } from "../columns/format.ts";
import { listOf } from "../handed-over.ts";
import type { Workshop } from "./workshop.ts";

export function columnImage(shop: Workshop, column: number, name: string, rows: number): ColumnImage {
  const { kernels } = shop;
  const rowSet = (which: number) =>
    rowSetImage(
      listOf(shop, (out) => kernels.columnList(column, which, out)),
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
  const { kernels } = shop;
  const count = kernels.countNumbers(column);
  const valuesAt = kernels.allocate(8 * count);
  const codesAt = kernels.allocate(4 * count);
  const oddAt = kernels.allocate(4 * OddNumber.WORDS * count);
  const odd = shop.copyOfWords(oddAt, OddNumber.WORDS * kernels.numberValues(column, valuesAt, oddAt));
  const { bytes } = shop;
  for (let i = 0; i < odd.length; i += OddNumber.WORDS) {
    const start = odd[i + OddNumber.at]!;
    const value = Number(bytes.toString("latin1", start, start + odd[i + OddNumber.length]!));
    bytes.writeDoubleLE(value === 0 ? 0 : value, valuesAt + 8 * odd[i + OddNumber.number]!);
  }
  const different = kernels.orderNumbers(valuesAt, count, codesAt);
  return { sorted: new Float64Array(shop.bytes.buffer.slice(valuesAt, valuesAt + 8 * different)), codesAt };
}

function readTexts(shop: Workshop, order: number) {
  const told = shop.copyOfWords(order, ColumnOrder.WORDS);
  const stringCount = told[ColumnOrder.stringCount]!;
  const spellingCount = told[ColumnOrder.spellingCount]!;
  const stringOffsets = shop.copyOfWords(told[ColumnOrder.stringOffsets]!, stringCount + 1);
  const spellingOffsets = shop.copyOfWords(told[ColumnOrder.spellingOffsets]!, spellingCount + 1);
  const spellingBytes = shop.copyOfBytes(told[ColumnOrder.spellingBytes]!, spellingOffsets.at(-1)!);
  const hasMore = spellingCount > stringCount;
  return {
    stringOffsets,
    stringBytes: shop.copyOfBytes(told[ColumnOrder.stringBytes]!, stringOffsets.at(-1)!),
    spellingCount,
    spellingStarts: hasMore ? shop.copyOfWords(told[ColumnOrder.spellingStarts]!, stringCount + 1) : null,
    spellingOffsets: spellingBytes.length > 0 ? spellingOffsets : null,
    spellingBytes,
  };
}

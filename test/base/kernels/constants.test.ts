/**
 * Numbers that compiled code and TypeScript must hold alike, and that each side defines for itself: bounds of a search that is
 * ranked in one call or in steps, forms of the bytes of a segment. What belongs to structs is defined once, in the
 * `layout.ts` of a family, and is none of these.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../../../src", import.meta.url));

/** Compiled file, the file in TypeScript, and the names of what they share. */
const SHARED: readonly (readonly [string, string, readonly string[]])[] = [
  ["columns/assembly/order.ts", "base/kernels/columns/kernels.ts", ["BUCKETS", "WITHOUT"]],
  ["extract/assembly/postings.ts", "storage/segment/postings/format.ts", ["ROWS_PER_BLOCK", "BLOCK_SHIFT"]],
  ["extract/assembly/postings.ts", "storage/segment/postings/format.ts", ["HEAD_ONE_FORM_ONE_BLOCK"]],
  ["extract/assembly/postings.ts", "engine/query/parse.ts", ["POSITION_MASK"]],
  ["extract/assembly/term-writer.ts", "storage/segment/terms/format.ts", ["TERMS_PER_BLOCK", "NIBBLE_FULL"]],
  ["extract/assembly/text.ts", "base/kernels/extract/kernels.ts", ["CHARACTER_TABLES", "SCRIPTS_MAX"]],
  ["extract/assembly/text.ts", "base/kernels/extract/kernels.ts", ["PIECE_HARD", "PIECE_EMPTY"]],
  ["extract/assembly/text.ts", "base/kernels/extract/kernels.ts", ["PIECE_SKIPPED", "PIECE_WORD"]],
  ["extract/assembly/walk.ts", "base/kernels/extract/kernels.ts", ["BEHIND_BYTES"]],
  ["extract/assembly/pack.ts", "storage/segment/documents/packed.ts", ["NAMES_MAX"]],
  ["packed/assembly/index.ts", "storage/segment/documents/packed.ts", ["NAMES_MAX"]],
  ["dictionary/assembly/packed.ts", "storage/segment/terms/format.ts", ["NIBBLE_FULL"]],
  ["format/assembly/terms.ts", "base/kernels/format/kernels.ts", ["TERM_BYTES_MAX"]],
  ["format/assembly/terms.ts", "engine/answer/format/term-list.ts", ["PREFIX"]],
  ["keyword/assembly/costs.ts", "base/kernels/keyword/kernels.ts", ["NO_COST"]],
  ["keyword/assembly/gather.ts", "base/kernels/keyword/kernels.ts", ["NO_ROOM"]],
  ["keyword/assembly/near.ts", "engine/query/places.ts", ["FAR"]],
  ["keyword/assembly/term.ts", "storage/segment/postings/format.ts", ["BLOCK_SHIFT"]],
  ["search/assembly/clock.ts", "engine/query/deadline.ts", ["WORK_PER_LOOK"]],
  ["search/assembly/completions.ts", "engine/query/vocabulary.ts", ["COMMON_BYTES_MAX", "COMMON_WORDS_MIN"]],
  ["search/assembly/completions.ts", "engine/query/lexicon.ts", ["COMPLETIONS_MAX"]],
  ["search/assembly/cost-sort.ts", "engine/rank/cost-sort.ts", ["CHOICES_MAX"]],
  ["search/assembly/exact-attribute.ts", "engine/rank/exactness.ts", ["WHOLE", "BEGINNING", "NEITHER"]],
  ["search/assembly/lengths.ts", "storage/segment/field-lengths/format.ts", ["ALL_EQUAL", "EVERY_ROW"]],
  ["search/assembly/hits.ts", "base/kernels/search/kernels.ts", ["SKIPPED"]],
  ["search/assembly/lines.ts", "engine/query/search-index.ts", ["LINE_BYTES"]],
  ["search/assembly/paths.ts", "engine/query/parse.ts", ["TERMS_MAX"]],
  ["search/assembly/phrases.ts", "engine/query/phrases.ts", ["WINDOW"]],
  ["search/assembly/proximity.ts", "engine/query/places.ts", ["FAR"]],
  ["search/assembly/readings.ts", "engine/rank/reading.ts", ["UNTOUCHED_ALL", "UNTOUCHED_EXACT"]],
  ["search/assembly/rules.ts", "engine/rank/attribute.ts", ["STEP_MAX"]],
  ["search/assembly/steps.ts", "engine/rank/attribute.ts", ["SINGLE_POSITIONS"]],
  ["search/assembly/steps.ts", "base/kernels/keyword/kernels.ts", ["STEP_BUCKETS"]],
  ["search/assembly/tables.ts", "engine/query/row-tables.ts", ["SHORT_SHARE", "SUMMARIZED_FIELDS_MAX"]],
  ["search/assembly/typos.ts", "engine/query/typos.ts", ["ONE_TYPO_MAX", "TWO_TYPOS_MAX", "JUDGED_MAX"]],
  ["search/assembly/typos.ts", "engine/query/dictionary.ts", ["NEAR_AT_ONCE", "STEPS_AT_ONCE"]],
  ["search/assembly/words.ts", "base/text/token.ts", ["WORD_BYTES_MAX"]],
  ["shared/assembly/characters.ts", "base/text/script-tables.ts", ["ODD", "WIDE", "SOFT", "HARD"]],
  ["shared/assembly/characters.ts", "base/text/script-tables.ts", ["BEFORE_SPACE", "SYMBOL", "WORD"]],
  ["shared/assembly/characters.ts", "base/kernels/extract/kernels.ts", ["CHARACTERS_END", "CHARACTER_ODD"]],
  ["shared/assembly/characters.ts", "base/kernels/format/kernels.ts", ["CHARACTER_ODD"]],
  ["shared/assembly/characters.ts", "base/text/token.ts", ["WORD_BYTES_MAX"]],
  ["shared/assembly/forward.ts", "storage/segment/forward/format.ts", ["NARROW_ORDINALS_MAX"]],
  ["shared/assembly/id-number.ts", "storage/segment/ids/probe.ts", ["DIGITS_MAX"]],
];

/** What a file sets a name to, as it is written there but for separators of digits. */
function valueIn(file: string, name: string): string {
  const text = readFileSync(path.join(SRC, file), "utf8");
  const value = new RegExp(`^(?:export )?const ${name}(?:: \\w+)? = ([^;]+);`, "m").exec(text)?.[1];
  assert.ok(value !== undefined, `${file} has no ${name}: was it moved, or renamed?`);
  return value.replaceAll("_", "").toLowerCase();
}

for (const [compiled, plain, names] of SHARED) {
  for (const name of names) {
    test(`${name} is the same in ${compiled} and ${plain}`, () => {
      assert.equal(valueIn(plain, name), valueIn(path.join("base/kernels", compiled), name));
    });
  }
}

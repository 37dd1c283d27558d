// Any dictionary, written as a file and read again, cuts texts as a plain analyser does with the dictionary itself.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { Dictionary, Entry } from "../../../scripts/dictionaries/dictionary.ts";
import { encodeDictionary } from "../../../scripts/dictionaries/encode.ts";
import { decodeTables } from "../../../src/base/text/morpheme-decoder.ts";
import { Lattice } from "../../../src/base/text/morpheme-lattice.ts";
import { MorphemeTables, NO_CATEGORY, UNITS } from "../../../src/base/text/morpheme-tables.ts";
import { plainCuts } from "./plain-analyser.ts";

const BUFFER_BYTES = 1 << 20;
const LETTERS = ["あ", "a", "漢", "한"];
const LEFT_IDS = 3;
const RIGHT_IDS = 4;

// Few different values: rows, columns and whole ways that are equally cheap are what is difficult.
const cost = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: -1, max: 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: -32_768, max: 32_767 }) },
);
const entry: fc.Arbitrary<Entry> = fc.record({
  leftId: fc.nat(LEFT_IDS - 1),
  rightId: fc.nat(RIGHT_IDS - 1),
  cost,
});
const entries = fc.array(entry, { minLength: 1, maxLength: 8 });
const text = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 12 }).map((letters) => letters.join(""));

const dictionaries: fc.Arbitrary<Dictionary> = fc
  .record({
    words: fc.uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...LETTERS), text), entries), {
      selector: ([word]) => word,
      maxLength: 30,
    }),
    matrix: fc.array(cost, { minLength: LEFT_IDS * RIGHT_IDS, maxLength: LEFT_IDS * RIGHT_IDS }),
    categories: fc.array(fc.record({ invoke: fc.boolean(), group: fc.boolean(), unknown: entries }), {
      minLength: 2,
      maxLength: 2,
    }),
    inSecond: fc.subarray(LETTERS),
    inBoth: fc.subarray(LETTERS),
  })
  .map(({ words, matrix, categories, inSecond, inBoth }) => {
    const category = new Uint8Array(UNITS);
    const secondCategory = new Uint8Array(UNITS).fill(NO_CATEGORY);
    for (const letter of inSecond) category[letter.charCodeAt(0)] = 1;
    for (const letter of inBoth) secondCategory[letter.charCodeAt(0)] = 1 - category[letter.charCodeAt(0)]!;
    return {
      words: new Map(words),
      leftIds: LEFT_IDS,
      rightIds: RIGHT_IDS,
      matrix: Int16Array.from(matrix),
      categories,
      category,
      secondCategory,
    };
  });

suite("A dictionary as a file", () => {
  test("cuts every text as the dictionary itself does", () => {
    fc.assert(
      fc.property(dictionaries, fc.array(text, { minLength: 1, maxLength: 10 }), (dictionary, texts) => {
        const cuts = cutsOf(dictionary);
        for (const each of texts) assert.deepEqual(cuts(each), plainCuts(dictionary, each));
      }),
      { numRuns: 300 },
    );
  });

  test("takes the same of two equally cheap ways, though an entry of no use decides which", () => {
    const dictionary: Dictionary = {
      words: new Map([
        ["ab", [{ leftId: 0, rightId: 1, cost: 0 }]],
        ["a", [{ leftId: 0, rightId: 2, cost: 0 }]],
        ["b", [{ leftId: 0, rightId: 2, cost: 0 }]],
        [
          "c",
          [
            { leftId: 1, rightId: 1, cost: 5 },
            { leftId: 2, rightId: 2, cost: 0 },
            { leftId: 1, rightId: 1, cost: 0 },
          ],
        ],
        ["d", [{ leftId: 0, rightId: 0, cost: 0 }]],
      ]),
      leftIds: 3,
      rightIds: 3,
      matrix: Int16Array.of(0, 0, 0, 0, 0, 9, 0, 9, 0),
      categories: [{ invoke: false, group: false, unknown: [] }],
      category: new Uint8Array(UNITS),
      secondCategory: new Uint8Array(UNITS).fill(NO_CATEGORY),
    };
    assert.deepEqual(plainCuts(dictionary, "abcd"), [2, 3, 4]);
    assert.deepEqual(cutsOf(dictionary)("abcd"), [2, 3, 4]);
  });

  test("holds exactly its words, and all costs of neighbours", () => {
    fc.assert(
      fc.property(dictionaries, fc.array(text), (dictionary, others) => {
        const tables = decodeTables(encodeDictionary(dictionary), new ArrayBuffer(BUFFER_BYTES));
        for (const word of [...dictionary.words.keys(), ...others]) {
          const node = [...word].reduce((at, letter) => tables.child(at, letter.charCodeAt(0)) || -1, 0);
          const isWord = node > 0 && tables.firstEntry[node] !== 0;
          assert.equal(isWord, dictionary.words.has(word));
        }
        const rows = new Set<string>();
        for (let leftId = 0; leftId < LEFT_IDS; leftId++) {
          rows.add(dictionary.matrix.subarray(leftId * RIGHT_IDS, (leftId + 1) * RIGHT_IDS).join());
        }
        const decoded = Array.from({ length: tables.sizes.rows }, (_, row) =>
          Array.from(tables.columnOf, (column) => tables.matrix[row * tables.sizes.columns + column]).join(),
        );
        assert.deepEqual(decoded, [...rows]);
      }),
    );
  });

  test("is shown to others when it is complete, and may be decoded twice in the same place", () => {
    const [dictionary] = fc.sample(dictionaries, 1);
    const file = encodeDictionary(dictionary!);
    const buffer = new SharedArrayBuffer(BUFFER_BYTES);
    assert.equal(MorphemeTables.in(buffer), null);
    const own = decodeTables(file, buffer);
    assert.deepEqual(MorphemeTables.in(buffer), own);
    const before = Buffer.from(buffer).toString("latin1");
    decodeTables(file, buffer);
    assert.equal(Buffer.from(buffer).toString("latin1"), before);
  });

  test("is refused when it is cut short, has more than it should, or does not fit", () => {
    fc.assert(
      fc.property(dictionaries, fc.nat(), (dictionary, cut) => {
        const file = encodeDictionary(dictionary);
        assert.throws(() => decodeTables(file.subarray(0, cut % file.length), new ArrayBuffer(BUFFER_BYTES)));
        const longer = new Uint8Array(file.length + 1);
        longer.set(file.subarray(1), 2);
        longer.set([file[0]! + 1, 0]);
        assert.throws(() => decodeTables(longer, new ArrayBuffer(BUFFER_BYTES)));
        assert.throws(() => decodeTables(file, new ArrayBuffer(1024)));
      }),
    );
  });
});

/** Ends of the words of a text, by the dictionary as a file. */
function cutsOf(dictionary: Dictionary): (text: string) => number[] {
  const lattice = new Lattice(decodeTables(encodeDictionary(dictionary), new ArrayBuffer(BUFFER_BYTES)));
  return (text) => {
    const cuts: number[] = [];
    lattice.cut(text, 0, text.length, cuts);
    return cuts;
  };
}

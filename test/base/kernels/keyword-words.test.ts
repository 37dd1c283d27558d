import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type KeywordKernels, NO_ROOM, STEP_BUCKETS } from "../../../src/base/kernels/keyword/kernels.ts";
import {
  chosenRows,
  occurrencesOf,
  putTerms,
  randomBelow,
  setBytes,
  type TermShape,
  type Terms,
  TwoMemories,
} from "./keyword-support.ts";

const memories = new TwoMemories(32);
const FIELDS = 9;

const shape: fc.Arbitrary<TermShape> = fc.record({
  share: fc.constantFrom(0, 2, 20, 100, 240, 260, 700, 1000),
  fields: fc.constantFrom(1, 1, 2, 5, FIELDS),
  repeats: fc.constantFrom(1, 1, 2, 5),
  positions: fc.constantFrom(20, 100, 1000, 65_536),
});

const scene = fc.record({
  fields: fc.constantFrom(8, FIELDS),
  rows: fc.constantFrom<number>(3, 64, 129, 1000, 2600),
  shapes: fc.array(shape, { minLength: 1, maxLength: 4 }),
  listShare: fc.constantFrom(0, 3, 30, 300, 1000),
  amongShare: fc.constantFrom(0, 500),
  seed: fc.integer({ min: 1 }),
});

type Scene = typeof scene extends fc.Arbitrary<infer Of> ? Of : never;

interface Prepared {
  terms: Terms;
  list: number;
  n: number;
  rowList: number[];
  bits: number;
  ranks: number;
  among: number;
  below: (limit: number) => number;
}

function prepare({ fields, rows, shapes, listShare, amongShare, seed }: Scene): Prepared {
  memories.clear();
  const below = randomBelow(seed);
  const occurrences = shapes.map((one) => {
    const chosen = chosenRows(rows, one.share, below);
    const within = { ...one, fields: Math.min(one.fields, fields) };
    return occurrencesOf(within, chosen.length > 0 ? chosen : [below(rows)], below);
  });
  const terms = putTerms(memories, occurrences, rows, fields);
  const rowList = chosenRows(rows, listShare, below);
  const bits = memories.bits(rowList, rows);
  const ranks = memories.room(setBytes(rows) / 2);
  memories.both((kernels) => kernels.bitsRanks(bits, setBytes(rows), ranks));
  const among = amongShare === 0 ? 0 : memories.bits(chosenRows(rows, amongShare, below), rows);
  return { terms, list: memories.u32(rowList), n: rowList.length, rowList, bits, ranks, among, below };
}

function check(of: (prepared: Prepared) => void, numRuns = 40): void {
  fc.assert(
    fc.property(scene, (made) => of(prepare(made))),
    { numRuns },
  );
}

const placesIn = ({ occurrences }: Terms, row: number): number[] =>
  occurrences.flatMap((found) => found.get(row) ?? []).sort((a, b) => a - b);

const spread = (count: number, below: (limit: number) => number, limit: number): number[] =>
  Array.from({ length: count }, () => (below(5) === 0 ? 65_535 : below(limit)));

describe("rows of terms", () => {
  test("say which terms a set has something of", () => {
    check(({ terms: { refs, count, rows, occurrences }, bits, rowList }) => {
      const out = memories.room(count * 20);
      const found = memories.both((kernels) => kernels.refsAmong(refs, count, rows, bits, out));
      assert.equal(found, occurrences.filter((term) => rowList.some((row) => term.has(row))).length);
    });
  });

  test("are added to a set", () => {
    check(({ terms: { refs, count, rows, occurrences }, below }) => {
      const bits = memories.bits(chosenRows(rows, 10, below), rows);
      const empty = memories.bits([], rows);
      memories.both((kernels) => kernels.unionRows(refs, count, rows, bits));
      memories.both((kernels) => kernels.unionRows(refs, count, rows, empty));
      const list = memories.room(rows * 4);
      const n = memories.both((kernels) => kernels.bitsList(empty, setBytes(rows), list));
      const all = [...new Set(occurrences.flatMap((found) => [...found.keys()]))].sort((a, b) => a - b);
      assert.deepEqual(memories.readU32(list, n), all);
    });
  });

  test("are added to a set where they are in marked fields", () => {
    check(({ terms: { refs, count, rows, sets }, below }) => {
      const bits = memories.bits([], rows);
      const most = below(3);
      const marks = memories.u8(Array.from({ length: sets }, () => (below(3) < most ? 1 : 0)));
      memories.both((kernels) => kernels.unionRowsInSets(refs, count, rows, marks, bits));
    });
  });
});

describe("terms in the rows of a list", () => {
  test("have the lowest weight of their field sets", () => {
    check(({ terms: { refs, count, rows, sets }, list, n, bits, ranks, among, below }) => {
      const weights = memories.u16(spread(sets, below, 8));
      const planes = [1, 2].map(() => memories.u16(spread(n, below, 40)));
      memories.both((kernels) => kernels.wordWeights(refs, count, rows, list, n, 0, 0, among, weights, 3, planes[0]!));
      memories.both((kernels) =>
        kernels.wordWeights(refs, count, rows, list, n, bits, ranks, among, weights, 2, planes[1]!),
      );
    });
  });

  test("have the lowest step of their positions", () => {
    check(({ terms, list, n, bits, ranks, among, below }) => {
      const { refs, count, rows, setOffsets, setFields } = terms;
      const steps = memories.u8(Array.from({ length: STEP_BUCKETS }, () => below(11)));
      const planes = [1, 2].map(() => memories.u16(spread(n, below, 20)));
      memories.both((kernels) =>
        kernels.wordSteps(refs, count, rows, setOffsets, setFields, list, n, 0, 0, among, steps, planes[0]!),
      );
      memories.both((kernels) =>
        kernels.wordSteps(refs, count, rows, setOffsets, setFields, list, n, bits, ranks, among, steps, planes[1]!),
      );
    });
  });

  test("have places", () => {
    check(({ terms, list, n, rowList, bits, ranks, among }) => {
      const { refs, count, rows, setOffsets, setFields } = terms;
      const room = rowList.reduce((sum, row) => sum + placesIn(terms, row).length, 0);
      const starts = memories.room(n * 4 + 4);
      const places = memories.room(room * 4);
      const wanted = (kernels: KeywordKernels, set: number, capacity: number) =>
        kernels.wordPlaces(refs, count, rows, setOffsets, setFields, list, n, 0, 0, set, starts, places, capacity);
      memories.both((kernels) => wanted(kernels, among, room));
      const total = memories.both((kernels) => wanted(kernels, 0, room));
      assert.deepEqual(
        memories.readU32(places, total),
        rowList.flatMap((row) => placesIn(terms, row)),
      );
      memories.both((kernels) =>
        kernels.wordPlaces(refs, count, rows, setOffsets, setFields, list, n, bits, ranks, among, starts, places, room),
      );
      if (room === 0) return;
      // Without room for all of them it is still known how many there are.
      const guard = memories.u32([7]);
      const scratch = { at: places, bytes: room * 4 };
      memories.both((kernels) => wanted(kernels, 0, room - 1), scratch);
      assert.deepEqual(memories.readU32(guard, 1), [7]);
    });
  });

  test("may be as far apart as rows can be", () => {
    const below = randomBelow(11);
    for (let width = 0; width < 31; width++) {
      memories.clear();
      const rows: number[] = [];
      for (let row = below(9); rows.length < 300 && row < 2 ** 31; row += 1 + below(2 ** width)) rows.push(row);
      const one = { share: 0, fields: 2, repeats: 2, positions: 300 };
      // So many rows that a bitmap is out of the question.
      const terms = putTerms(memories, [occurrencesOf(one, rows, below)], 2 ** 31, FIELDS);
      const { refs, count, setOffsets, setFields } = terms;
      const chosen = rows.filter(() => below(3) > 0);
      const list = memories.u32(chosen);
      const n = chosen.length;
      const starts = memories.room(n * 4 + 4);
      const places = memories.room(n * 16);
      const total = memories.both((kernels) =>
        kernels.wordPlaces(refs, count, 2 ** 31, setOffsets, setFields, list, n, 0, 0, 0, starts, places, n * 4),
      );
      assert.equal(total, chosen.flatMap((row) => placesIn(terms, row)).length);
    }
  });
});

/** More than enough for what gathering takes. */
const gatherWords = (places: number, rows: number): number => 3 * places + rows + 10_000;

describe("tables of places by row", () => {
  test("are not made where there is no room", () => {
    check(({ terms: { refs, count, rows, setOffsets, setFields } }) => {
      const starts = memories.room(rows * 4 + 4);
      const places = memories.room(4);
      const kernels = memories.compiled;
      for (const n of [1, count]) {
        assert.equal(kernels.gatherTable(refs, n, rows, setOffsets, setFields, starts, places, 0) >>> 0, NO_ROOM);
      }
    });
  });

  test("are gathered from rows that are far apart", () => {
    for (let seed = 1; seed < 6; seed++) {
      const shapes = [3, 20, 8].map((share) => ({ share, fields: 2, repeats: 2, positions: 100 }));
      const { terms } = prepare({ fields: 8, rows: 30_000, shapes, listShare: 0, amongShare: 0, seed });
      const { refs, count, rows, setOffsets, setFields, occurrences } = terms;
      const all = [...new Set(occurrences.flatMap((found) => [...found.keys()]))].sort((a, b) => a - b);
      const expected = all.flatMap((row) => placesIn(terms, row));
      const starts = memories.room(rows * 4 + 4);
      const room = gatherWords(expected.length, rows);
      const places = memories.room(room * 4);
      memories.compiled.gatherTable(refs, count, rows, setOffsets, setFields, starts, places, room);
      assert.deepEqual(memories.readU32(places, expected.length), expected);
      assert.equal(memories.readU32(starts, all.length + 1).at(-1), expected.length);
    }
  });

  test("are gathered, and met with lists", () => {
    check(({ terms, list, n, below }) => {
      const { refs, count, rows, setOffsets, setFields, fields } = terms;
      const bits = memories.bits([], rows);
      memories.both((kernels) => kernels.unionRows(refs, count, rows, bits));
      const ranks = memories.room(setBytes(rows) / 2);
      const m = memories.both((kernels) => kernels.bitsRanks(bits, setBytes(rows), ranks));
      const all = [...new Set(terms.occurrences.flatMap((found) => [...found.keys()]))];
      const room = all.reduce((sum, row) => sum + placesIn(terms, row).length, 0);
      const starts = memories.room(m * 4 + 4);
      const places = memories.room(gatherWords(room, rows) * 4);
      const scratch = { at: places + room * 4, bytes: (gatherWords(room, rows) - room) * 4 };
      const gathered = memories.both(
        (kernels) =>
          kernels.gatherTable(refs, count, rows, setOffsets, setFields, starts, places, gatherWords(room, rows)),
        scratch,
      );
      assert.equal(gathered, room);
      const weights = memories.u16(spread(fields, below, 9));
      const steps = memories.u8(Array.from({ length: STEP_BUCKETS }, () => below(11)));
      const planes = [1, 2].map(() => memories.u16(spread(n, below, 20)));
      memories.both((kernels) => kernels.tableWeights(bits, ranks, starts, places, list, n, weights, 2, planes[0]!));
      memories.both((kernels) => kernels.tableSteps(bits, ranks, starts, places, list, n, steps, planes[1]!));
      if (fields <= 8) {
        const [masks, firsts, masksToo, firstsToo] = [m, m * 2, m, m * 2].map((bytes) => memories.room(bytes));
        memories.both((kernels) => kernels.tableSummaries(starts, places, m, masks!, firsts!));
        memories.both((kernels) =>
          kernels.wordSummaries(refs, count, setOffsets, setFields, bits, ranks, m, masksToo!, firstsToo!),
        );
        const ofMasks = memories.u16(spread(256, below, 20));
        memories.both((kernels) => kernels.maskValues(bits, ranks, masks!, list, n, ofMasks, planes[0]!));
        memories.both((kernels) => kernels.firstValues(bits, ranks, firstsToo!, list, n, steps, planes[1]!));
      }
      const [begins, ends] = [memories.room(n * 4), memories.room(n * 4)];
      memories.both((kernels) => kernels.tableSpans(bits, ranks, starts, list, n, begins, ends));
    });
  });
});

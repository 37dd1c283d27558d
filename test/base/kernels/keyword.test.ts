import { describe, test } from "node:test";
import fc from "fast-check";
import { NO_COST } from "../../../src/base/kernels/keyword/kernels.ts";
import { setBytes, TwoMemories } from "./keyword-support.ts";

const memories = new TwoMemories(1);
const ROWS = 700;
const row = fc.integer({ min: 0, max: ROWS - 1 });
const rowList = fc.uniqueArray(row, { maxLength: 300 }).map((rows) => rows.sort((a, b) => a - b));
const cost = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: NO_COST }), fc.constant(NO_COST));

function check<Of extends [unknown, ...unknown[]]>(
  arbitraries: { [I in keyof Of]: fc.Arbitrary<Of[I]> },
  of: (...values: Of) => void,
): void {
  const once = (values: Of): void => {
    memories.clear();
    of(...values);
  };
  fc.assert(fc.property(fc.tuple<Of>(...arbitraries), once), { numRuns: 60 });
}

describe("row sets", () => {
  test("are combined, counted and listed", () => {
    check([rowList, rowList], (first, second) => {
      const a = memories.bits(first, ROWS);
      const b = memories.bits(second, ROWS);
      const bytes = setBytes(ROWS);
      const out = memories.room(bytes);
      memories.both((kernels) => kernels.bitsAnd(out, a, b, bytes));
      memories.both((kernels) => kernels.bitsAny(out, bytes));
      memories.both((kernels) => kernels.bitsOr(out, a, b, bytes));
      memories.both((kernels) => kernels.bitsCount(out, bytes));
      memories.both((kernels) => kernels.bitsCountAnd(a, b, bytes));
      memories.both((kernels) => kernels.bitsAnyAnd(a, b, bytes));
      const list = memories.room(ROWS * 4);
      const n = memories.both((kernels) => kernels.bitsList(out, bytes, list));
      const ranks = memories.room(bytes / 2);
      memories.both((kernels) => kernels.bitsRanks(out, bytes, ranks));
      memories.both((kernels) => kernels.bitsOrAnd(out, a, b, bytes));
      memories.both((kernels) => kernels.bitsOrAnd(a, a, b, bytes));
      memories.both((kernels) => kernels.bitsAndNot(a, a, b, bytes));
      memories.both((kernels) => kernels.fill(out, bytes - 16, 255));
      memories.both((kernels) => kernels.fill(out, bytes, 0));
      memories.both((kernels) => kernels.listBits(list, n, out));
    });
  });
});

describe("planes", () => {
  test("are filled, and set where rows are in a set", () => {
    check([rowList, rowList, cost], (list, chosen, value) => {
      const bits = memories.bits(chosen, ROWS);
      const at = memories.u32(list);
      const plane = memories.room(list.length * 2);
      memories.both((kernels) => kernels.planeFill(plane, list.length, NO_COST));
      memories.both((kernels) => kernels.planeSetWhere(bits, at, list.length, value, plane));
      const all = memories.bits(list, ROWS);
      memories.both((kernels) => kernels.planeSetWhereUnset(all, at, list.length, 3, plane));
    });
  });

  test("add up, and the cheapest is taken", () => {
    check([fc.array(fc.tuple(cost, cost, cost), { maxLength: 70 })], (costs) => {
      const n = costs.length;
      const [total, plane, best] = [0, 1, 2].map((i) => memories.u16(costs.map((three) => three[i]!))) as [
        number,
        number,
        number,
      ];
      const chosen = memories.u16(costs.map((_, i) => i));
      memories.both((kernels) => kernels.planeAdd(total, plane, n));
      memories.both((kernels) => kernels.planeTake(best, total, chosen, 513, n));
    });
  });

  test("are counted and picked from", () => {
    check([fc.array(cost, { maxLength: 90 }), cost, cost], (costs, one, other) => {
      const n = costs.length;
      const best = memories.u16(costs);
      const max = Math.min(one, 300);
      const counts = memories.room(max * 4 + 4);
      memories.both((kernels) => kernels.planeCounts(best, n, max, counts));
      const positions = memories.room(n * 4);
      memories.both((kernels) => kernels.planePick(best, n, one, positions));
      memories.both((kernels) => kernels.planePickFrom(best, n, one, NO_COST + 1, positions));
      const k = memories.both((kernels) => kernels.planePickFrom(best, n, one, other, positions));
      const list = memories.u32(costs.map((value, i) => value * i));
      const out = memories.room(n * 4);
      memories.both((kernels) => kernels.listPick(list, positions, k, out));
      const chosen = memories.u16(costs.map((_, i) => (i * i) % 11));
      const used = memories.room(11);
      memories.both((kernels) => kernels.planeUsed(chosen, positions, k, used));
      memories.both((kernels) => kernels.signatureAdd(out, chosen, positions, k, 2));
    });
  });

  test("equal costs in long runs are counted", () => {
    check([fc.array(fc.tuple(cost, fc.integer({ min: 1, max: 30 })), { maxLength: 8 })], (runs) => {
      const costs = runs.flatMap(([value, length]) => Array.from({ length }, () => value));
      const best = memories.u16(costs);
      const counts = memories.room(24);
      memories.both((kernels) => kernels.planeCounts(best, costs.length, 5, counts));
    });
  });

  test("different values are found in order", () => {
    const values = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
    check([values, fc.integer({ min: 0, max: 24 })], (some, capacity) => {
      const at = memories.u32(some);
      const out = memories.room(capacity * 4);
      memories.both((kernels) => kernels.distinct(at, some.length, out, capacity));
    });
  });
});

describe("two words", () => {
  const place = fc
    .tuple(fc.integer({ min: 0, max: 2 }), fc.oneof(fc.nat(12), fc.integer({ min: 65_530, max: 65_535 })))
    .map(([field, position]) => field * 65_536 + position);
  const places = fc.array(place, { maxLength: 14 }).map((some) => some.sort((a, b) => a - b));
  const rows = fc.array(fc.tuple(places, places, cost), { maxLength: 12 });

  /** Begins, ends and places. */
  const putTable = (table: number[][]): [number, number, number] => {
    let total = 0;
    const starts = memories.u32([0, ...table.map((some) => (total += some.length))]);
    return [starts, starts + 4, memories.u32(table.flat())];
  };

  test("stand near each other", () => {
    check([rows, fc.nat(4), fc.nat(9)], (table, more, base) => {
      const a = putTable(table.map(([one]) => one));
      const b = putTable(table.map(([, other]) => other));
      const plane = memories.u16(table.map(([, , known]) => known));
      const n = table.length;
      memories.both((kernels) => kernels.near(...a, ...b, n, more, base, plane));
    });
  });

  test("share a field", () => {
    check([rows, fc.nat(9), fc.array(fc.nat(1), { minLength: 3, maxLength: 3 })], (table, base, marked) => {
      const a = putTable(table.map(([one]) => one));
      const b = putTable(table.map(([, other]) => other));
      const planes = [1, 2].map(() => memories.u16(table.map(([, , known]) => known)));
      const marks = memories.u8(marked);
      const n = table.length;
      memories.both((kernels) => kernels.nearInField(...a, ...b, n, 0, base, planes[0]!));
      memories.both((kernels) => kernels.nearInField(...a, ...b, n, marks, base, planes[1]!));
    });
  });
});

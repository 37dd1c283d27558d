/** Cells: nearest centres, cells by their similarity to a query, tables, and what is found in the nearest cells. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  BitCodeScan,
  CellJob,
  DISTANCE_STEPS,
  FAR,
  SCAN_ROOM_BYTES,
  SUM_STEPS,
} from "../../../src/base/kernels/vector/generated/layout.ts";
import { KEY_BYTES, vectorKernels } from "../../../src/base/kernels/vector/kernels.ts";
import { Workspace } from "../../../src/storage/memory/workspace.ts";

const { workspace } = Workspace.around(new Uint8Array(0), 1 << 20);
const kernels = vectorKernels(workspace.memory);
const { fround } = Math;
const STRIDE = 16;
const BLOCK = 32;
const PLACES = 4;
const SAMPLE = 4;
const RUNS = { numRuns: 200 };

const row = fc.array(fc.integer({ min: -127, max: 127 }), { minLength: STRIDE, maxLength: STRIDE });
const fours = (values: fc.Arbitrary<number[]>) =>
  fc.integer({ min: 1, max: 6 }).chain((n) => fc.array(values, { minLength: 4 * n, maxLength: 4 * n }));
const factor = fc.integer({ min: 1, max: 64 }).map((n) => fround(n / 64));

function put(numbers: Int8Array | Int16Array | Uint8Array | Uint32Array | Float32Array): number {
  const at = workspace.allocate(numbers.byteLength);
  workspace.u8.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
  return at;
}

function released(run: () => void): void {
  const { mark } = workspace;
  try {
    run();
  } finally {
    workspace.release(mark);
  }
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

test("vectors find the centre they are most like, of equals one of them", () => {
  const given = fc.record({ centres: fours(row), vectors: fc.array(row, { minLength: 1, maxLength: 20 }), factor });
  fc.assert(
    fc.property(given, fc.integer({ min: 1, max: 3 }), ({ centres, vectors, factor: last }, step) => {
      released(() => {
        const factors = centres.map((_, cell) => (cell === centres.length - 1 ? last : 1));
        const job = new Uint32Array(CellJob.WORDS);
        job[CellJob.codes] = put(Int8Array.from(vectors.flat()));
        job[CellJob.stride] = STRIDE;
        job[CellJob.centres] = put(Int8Array.from(centres.flat()));
        job[CellJob.factors] = put(Float32Array.from(factors));
        job[CellJob.cells] = centres.length;
        job[CellJob.cellOf] = put(new Uint32Array(vectors.length).fill(999));
        const count = Math.ceil(vectors.length / step);
        kernels.assignCells(put(job), 0, step, count, workspace.allocate(2 * STRIDE));
        vectors.forEach((vector, i) => {
          const cell = workspace.u32[(job[CellJob.cellOf]! >>> 2) + i]!;
          if (i % step !== 0) {
            assert.equal(cell, 999);
            return;
          }
          const similarity = centres.map((centre, c) => fround(dot(centre, vector) * factors[c]!));
          assert.equal(similarity[cell], Math.max(...similarity));
        });
      });
    }),
    RUNS,
  );
});

test("cells come from the nearest on, but for those that are hardly any nearer", () => {
  fc.assert(
    fc.property(fours(row), row, (centres, query) => {
      released(() => {
        const cells = centres.length;
        const at = workspace.allocate(cells * KEY_BYTES);
        const room = workspace.allocate((DISTANCE_STEPS + 2 * cells) * 4);
        const steps = centres.map((_, cell) => fround((1 + cell) / 64));
        const unit = fround(1 / 2 ** 16);
        const given = [put(Int8Array.from(centres.flat())), put(Float32Array.from(steps))] as const;
        kernels.rankCells(...given, STRIDE, cells, put(Int16Array.from(query)), unit, at, room);
        const keys = Array.from({ length: cells }, (_, i) => ({
          cell: workspace.u32[(at >>> 2) + 2 * i]!,
          distance: workspace.f32[(at >>> 2) + 2 * i + 1]!,
        }));
        assert.equal(new Set(keys.map(({ cell }) => cell)).size, cells);
        for (const { cell, distance } of keys) {
          const similarity = fround(fround(fround(dot(centres[cell]!, query)) * unit) * steps[cell]!);
          assert.equal(distance, Math.max(0, fround(2 - similarity)));
        }
        // Similarities beyond those of vectors of length 1 are all the same.
        const ordered = keys.map(({ distance }) => Math.min(3, Math.max(1, distance)));
        ordered.forEach((distance, i) => {
          assert.ok(i === 0 || distance > ordered[i - 1]! - 2 / DISTANCE_STEPS - 1e-6);
        });
      });
    }),
    RUNS,
  );
});

test("tables say what the bits at their places stand for", () => {
  const weights = fc.array(fc.integer({ min: -16, max: 16 }), { minLength: PLACES * 4, maxLength: PLACES * 4 });
  fc.assert(
    fc.property(weights, fc.boolean(), (all, isOneBit) => {
      released(() => {
        const [atPlace, values] = isOneBit ? [4, [-0.75, 0.75]] : [2, [-1.5, -0.5, 0.5, 1.5]];
        const places = [2, 0, 3, 1];
        const tables = workspace.allocate(places.length * 16);
        const list = put(Uint32Array.from(places, (place) => place * 16));
        const four = isOneBit ? [...values, ...values] : values;
        const at = [put(Float32Array.from(all)), atPlace, put(Float32Array.from(four))] as const;
        kernels.writeTables(list, places.length, ...at, 0.5, tables);
        places.forEach((place, n) => {
          const own = all.slice(place * atPlace, (place + 1) * atPlace);
          const reach = own.reduce((sum, weight) => sum + Math.abs(weight), 0) * values.at(-1)!;
          for (let bits = 0; bits < 16; bits++) {
            const sum = own.reduce((total, weight, i) => {
              return total + weight * values[Math.floor(bits / values.length ** i) % values.length]!;
            }, reach);
            assert.equal(workspace.u8[tables + n * 16 + bits], Math.floor(sum * 0.5 + 0.5));
          }
        });
      });
    }),
    RUNS,
  );
});

test("places are left out that have, all together, no more than a share of what there is to know", () => {
  // Small enough for squares and their sums to be exact.
  const number = fc.integer({ min: -16, max: 16 });
  const given = fc.record({
    atPlace: fc.constantFrom(2, 4),
    numbers: fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 80 }),
    share: fc.constantFrom(0, 1 / 16, 1 / 4),
  });
  fc.assert(
    fc.property(given, ({ atPlace, numbers, share }) => {
      released(() => {
        const places = Math.ceil(numbers.length / atPlace / PLACES) * PLACES;
        const products = numbers.map(([spread, target]) => Math.abs(spread) * target);
        const ofPlace = (place: number): number[] => products.slice(place * atPlace, (place + 1) * atPlace);
        const squares = Array.from({ length: places }, (_, place) => dot(ofPlace(place), ofPlace(place)));
        const all = squares.reduce((sum, square) => sum + square, 0);
        const [spreads, target] = [numbers.map(([spread]) => Math.abs(spread)), numbers.map(([, own]) => own)];
        const weights = workspace.allocate(places * atPlace * 4) >>> 2;
        const list = workspace.allocate(places * 4) >>> 2;
        const sums = workspace.allocate(3 * 4) >>> 2;
        const kept = kernels.choosePlaces(
          put(Float32Array.from(spreads)),
          put(Float32Array.from(target)),
          numbers.length,
          atPlace,
          places,
          share,
          weights * 4,
          workspace.allocate(places * KEY_BYTES),
          list * 4,
          sums * 4,
        );
        const chosen = Array.from(workspace.u32.subarray(list, list + kept), (at) => at / 16);
        const left = squares.map((square, place) => ({ square, place })).filter(({ place }) => !chosen.includes(place));
        // How many can be left out at most, the least first; whole steps of them are.
        let budget = all * share;
        let droppable = 0;
        for (const square of [...squares].sort((a, b) => a - b)) {
          budget -= square;
          if (budget >= 0) droppable++;
        }
        assert.equal(kept, Math.max(PLACES, Math.ceil((places - droppable) / PLACES) * PLACES));
        assert.deepEqual(
          chosen,
          [...new Set(chosen)].sort((a, b) => a - b),
        );
        const least = Math.min(...chosen.map((place) => squares[place]!));
        assert.ok(left.every(({ square }) => square <= least));
        const reaches = chosen.map((place) => ofPlace(place).reduce((sum, own) => sum + Math.abs(own), 0));
        const expectedSums = [all, reaches.reduce((sum, reach) => sum + reach, 0), Math.max(...reaches)];
        assert.deepEqual(Array.from(workspace.f32.subarray(sums, sums + 3)), expectedSums.map(fround));
        const padded = Array.from({ length: places * atPlace }, (_, d) => products[d] ?? 0);
        assert.deepEqual(Array.from(workspace.f32.subarray(weights, weights + padded.length)), padded);
      });
    }),
    RUNS,
  );
});

interface Member {
  nibbles: number[];
  /** In 32768ths of a half. */
  weight: number;
}

interface Cells {
  cells: { members: Member[]; distance: number }[];
  tables: number[];
  allowed: boolean[] | null;
  rowGap: number;
  wanted: number;
  sought: number;
  /** By how much those kept may be behind the last of those that are sought. */
  behind: number;
  enough: number;
  middle: number;
  /** Whether those looked at that may be found are estimated, by some of each cell. */
  isMany: boolean;
}

const member: fc.Arbitrary<Member> = fc.record({
  nibbles: fc.array(fc.nat(15), { minLength: PLACES, maxLength: PLACES }),
  weight: fc.integer({ min: 0, max: 32_767 }),
});
const inCells: fc.Arbitrary<Cells> = fc.record({
  cells: fc.array(
    fc.record({
      members: fc.array(member, { maxLength: 80, size: "max" }),
      distance: fc.integer({ min: 64, max: 192 }).map((n) => n / 64),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  tables: fc.array(fc.nat(63), { minLength: PLACES * 16, maxLength: PLACES * 16 }),
  allowed: fc.option(fc.array(fc.boolean(), { minLength: 1, maxLength: 13 })),
  rowGap: fc.constantFrom(1, 1, 3),
  wanted: fc.integer({ min: 1, max: 40 }),
  sought: fc.integer({ min: 1, max: 40 }),
  behind: fc.integer({ min: 0, max: 200 }),
  enough: fc.integer({ min: 1, max: 300 }),
  middle: fc.integer({ min: 0, max: 126 }),
  isMany: fc.boolean(),
});
const FACTOR = 100;

/** Slots are numbered through the cells as they come; cells are looked at from the nearest on. */
function expected(given: Cells): string[] {
  const { cells, tables, allowed, rowGap, wanted, enough, middle, isMany } = given;
  const keys: { far: number; slot: number }[] = [];
  let next = 0;
  const numbered = cells.map(({ members, distance }, cell) => {
    const first = next;
    next += members.length;
    return { members, distance, cell, first };
  });
  numbered.sort((a, b) => a.distance - b.distance || a.cell - b.cell);
  let seen = 0;
  for (const { members, distance, first } of numbered) {
    if (seen >= enough) break;
    const isAllowed = (i: number): boolean => allowed === null || allowed[((first + i) * rowGap) % allowed.length]!;
    const step = Math.max(1, Math.floor(members.length / SAMPLE));
    const asked = members.map((_, i) => i).filter((i) => allowed === null || !isMany || i % step === 0);
    seen += Math.floor((members.length * asked.filter(isAllowed).length) / Math.max(1, asked.length));
    members.forEach(({ nibbles, weight }, i) => {
      const slot = first + i;
      if (!isAllowed(i)) return;
      const sum = nibbles.reduce((total, nibble, place) => total + tables[place * 16 + nibble]!, 0);
      const weighed = Math.floor(((sum - middle) * weight + 2 ** 14) / 2 ** 15);
      keys.push({ far: FAR - weighed - Math.trunc((2 - distance) * FACTOR), slot });
    });
  }
  keys.sort((a, b) => a.far - b.far || a.slot - b.slot);
  const limit = limitOf(
    keys.map(({ far }) => FAR - far),
    given,
  );
  return keys.slice(0, wanted).flatMap(({ far }) => (FAR - far > limit ? [`${far}`] : []));
}

/** What sums, of which the highest come first, must exceed so that they are not too far behind those that are sought. */
function limitOf(sums: readonly number[], { behind, sought, wanted }: Cells): number {
  const steps = sums
    .filter((sum) => sum >= 0)
    .map((sum) => Math.min(SUM_STEPS - 1, Math.floor(fround(sum * fround(SUM_STEPS / FACTOR)))));
  const step = steps[Math.min(sought, wanted) - 1] ?? 0;
  const isKnown = steps.length > Math.min(sought, wanted) && step > 0;
  return isKnown ? Math.trunc(fround(fround(step * FACTOR) / SUM_STEPS)) - behind : Number.NEGATIVE_INFINITY;
}

function found(given: Cells, blocksAtOnce: number): string[] {
  const { cells, tables, allowed, rowGap, wanted, sought, behind, enough, middle, isMany } = given;
  const { u32, f32 } = workspace;
  const blockBytes = PLACES * 16 + 64;
  const blocksOf = (members: readonly Member[]): number => Math.ceil(members.length / BLOCK);
  const blockCount = cells.reduce((sum, { members }) => sum + blocksOf(members), 0);
  const blocks = new Uint8Array(blockCount * blockBytes);
  const view = new DataView(blocks.buffer);
  const slotList = new Uint32Array(blockCount * BLOCK);
  const firstBlocks: number[] = [];
  let block = 0;
  let slot = 0;
  for (const { members } of cells) {
    firstBlocks.push(block);
    members.forEach(({ nibbles, weight }, i) => {
      const at = (block + Math.floor(i / BLOCK)) * blockBytes;
      const inBlock = i % BLOCK;
      nibbles.forEach((nibble, place) => {
        blocks[at + place * 16 + (inBlock % 16)]! |= nibble << (inBlock < 16 ? 0 : 4);
      });
      const weightAt = at + PLACES * 16 + Math.floor(inBlock / 16) * 32 + (inBlock % 2) * 16;
      view.setInt16(weightAt + 2 * Math.floor((inBlock % 16) / 2), weight, true);
      slotList[block * BLOCK + i] = slot++;
    });
    block += blocksOf(members);
  }
  const bits = new Uint32Array(((slot * rowGap) >>> 5) + 2);
  for (let r = 0; r < slot * rowGap; r++) if (allowed?.[r % allowed.length]) bits[r >>> 5]! |= 1 << (r & 31);
  const cellKeys = new Float32Array(cells.length * 2);
  const ids = new Uint32Array(cellKeys.buffer);
  cells
    .map(({ distance }, cell) => ({ distance, cell }))
    .sort((a, b) => a.distance - b.distance || a.cell - b.cell)
    .forEach(({ distance, cell }, i) => {
      ids[2 * i] = cell;
      cellKeys[2 * i + 1] = distance;
    });
  const scan = workspace.allocate(BitCodeScan.WORDS * 4) >>> 2;
  const keys = workspace.allocate(2 * wanted * KEY_BYTES);
  u32[scan + BitCodeScan.blocks] = put(blocks);
  u32[scan + BitCodeScan.blockBytes] = blockBytes;
  u32[scan + BitCodeScan.places] = PLACES;
  u32[scan + BitCodeScan.placeList] = put(Uint32Array.from({ length: PLACES }, (_, place) => place * 16));
  u32[scan + BitCodeScan.tables] = put(Uint8Array.from(tables));
  u32[scan + BitCodeScan.rows] = allowed === null ? 0 : put(bits);
  u32[scan + BitCodeScan.rowList] = rowGap === 1 ? 0 : put(Uint32Array.from({ length: slot }, (_, i) => i * rowGap));
  u32[scan + BitCodeScan.wanted] = wanted;
  u32[scan + BitCodeScan.keys] = keys;
  u32[scan + BitCodeScan.size] = 0;
  u32[scan + BitCodeScan.limit] = -(2 ** 23);
  u32[scan + BitCodeScan.room] = workspace.allocate(SCAN_ROOM_BYTES);
  u32[scan + BitCodeScan.slotList] = put(slotList);
  u32[scan + BitCodeScan.cellKeys] = put(cellKeys);
  u32[scan + BitCodeScan.cells] = cells.length;
  u32[scan + BitCodeScan.allCells] = cells.length;
  u32[scan + BitCodeScan.counts] = put(new Uint32Array(SUM_STEPS));
  u32[scan + BitCodeScan.firstStep] = 0;
  u32[scan + BitCodeScan.kept] = 0;
  u32[scan + BitCodeScan.sought] = Math.min(sought, wanted);
  u32[scan + BitCodeScan.bestStep] = 0;
  u32[scan + BitCodeScan.best] = 0;
  u32[scan + BitCodeScan.behind] = behind;
  u32[scan + BitCodeScan.firstBlocks] = put(Uint32Array.from(firstBlocks));
  u32[scan + BitCodeScan.cellSizes] = put(Uint32Array.from(cells, ({ members }) => members.length));
  f32[scan + BitCodeScan.factor] = FACTOR;
  u32[scan + BitCodeScan.seen] = 0;
  u32[scan + BitCodeScan.enough] = enough;
  u32[scan + BitCodeScan.middle] = middle;
  u32[scan + BitCodeScan.least] = enough;
  u32[scan + BitCodeScan.reach] = 0;
  u32[scan + BitCodeScan.isMany] = isMany ? 1 : 0;
  while (kernels.scanCells(scan * 4, blocksAtOnce) !== 0);
  const size = kernels.settle(scan * 4);
  assert.ok(size <= wanted * 1.125);
  if (size > wanted) kernels.select(keys, size, wanted);
  const all = Array.from({ length: Math.min(size, wanted) }, (_, i) => u32[(keys >>> 2) + 2 * i + 1]!);
  return all.sort((a, b) => a - b).map((far) => `${far}`);
}

test("of the nearest cells those are kept of which most is to be made", () => {
  fc.assert(
    fc.property(inCells, fc.integer({ min: 1, max: 5 }), (given, blocksAtOnce) => {
      released(() => assert.deepEqual(found(given, blocksAtOnce), expected(given)));
    }),
    { numRuns: 300 },
  );
});

/** A scan of sketches keeps those of which the tables say most, whatever the order in which they come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BitCodeScan, FAR, SCAN_ROOM_BYTES } from "../../../src/base/kernels/vector/generated/layout.ts";
import { KEY_BYTES, vectorKernels } from "../../../src/base/kernels/vector/kernels.ts";
import { Workspace } from "../../../src/storage/memory/workspace.ts";

const { workspace } = Workspace.around(new Uint8Array(0), 1 << 20);
const kernels = vectorKernels(workspace.memory);
const BLOCK = 32;

interface Case {
  places: number;
  /** Those that are looked at: a multiple of four. */
  counted: number[];
  /** What each vector has at each place: 0 to 15. */
  vectors: number[][];
  /** 16 numbers a place. */
  tables: number[];
  /** How many vectors the slots have, in turn, and which rows may be found; null for plain ones. */
  counts: number[] | null;
  rowGap: number;
  allowed: boolean[] | null;
  wanted: number;
  step: number;
}

const cases: fc.Arbitrary<Case> = fc.constantFrom(4, 8, 12).chain((places) => {
  const nibbles = fc.array(fc.nat(15), { minLength: places, maxLength: places });
  return fc.record({
    places: fc.constant(places),
    counted: fc
      .shuffledSubarray(
        Array.from({ length: places }, (_, place) => place),
        { minLength: 4 },
      )
      .map((some) => some.slice(0, some.length & ~3)),
    // Few different ones, so that equal sums are common.
    vectors: fc.array(nibbles, { minLength: 1, maxLength: 300, size: "max" }),
    tables: fc.array(fc.nat(63), { minLength: places * 16, maxLength: places * 16 }),
    counts: fc.option(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 })),
    rowGap: fc.constantFrom(1, 1, 3),
    allowed: fc.option(fc.array(fc.boolean(), { minLength: 1, maxLength: 13 })),
    wanted: fc.integer({ min: 1, max: 40 }),
    step: fc.constantFrom(1, 1, 2, 3),
  });
});

function put(numbers: Uint8Array | Uint32Array): number {
  const at = workspace.allocate(numbers.byteLength);
  workspace.u8.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
  return at;
}

function blocksOf({ places, vectors }: Case): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(vectors.length / BLOCK) * places * 16);
  vectors.forEach((nibbles, vector) => {
    nibbles.forEach((nibble, place) => {
      const at = (Math.floor(vector / BLOCK) * places + place) * 16 + (vector % 16);
      bytes[at]! |= nibble << (vector % BLOCK < 16 ? 0 : 4);
    });
  });
  return bytes;
}

/** First vector of each slot and the end. */
function startsOf({ counts, vectors }: Case): number[] {
  const starts = [0];
  while (starts.at(-1)! < vectors.length) {
    const count = counts === null ? 1 : counts[starts.length % counts.length]!;
    starts.push(Math.min(vectors.length, starts.at(-1)! + count));
  }
  return starts;
}

function isAllowed({ allowed }: Case, row: number): boolean {
  return allowed?.[row % allowed.length] ?? true;
}

/** Keys as they must be, lowest first: how far the sum is from the most there can be, and the vector. */
function expected(given: Case): string[] {
  const { counted, rowGap, step, tables, vectors, wanted } = given;
  const starts = startsOf(given);
  const keys = vectors.flatMap((nibbles, vector) => {
    if (Math.floor(vector / BLOCK) % step !== 0) return [];
    const slot = starts.findIndex((start) => start > vector) - 1;
    if (!isAllowed(given, slot * rowGap)) return [];
    const sum = counted.reduce((total, place) => total + tables[place * 16 + nibbles[place]!]!, 0);
    return [{ far: FAR - sum, vector }];
  });
  keys.sort((a, b) => a.far - b.far || a.vector - b.vector);
  return keys.slice(0, wanted).map(({ far, vector }) => `${far} ${vector}`);
}

function found(given: Case): string[] {
  const { allowed, counted, places, rowGap, step, tables, vectors, wanted } = given;
  const { u32 } = workspace;
  const starts = startsOf(given);
  const slots = starts.length - 1;
  const bits = new Uint32Array(((slots * rowGap) >>> 5) + 2);
  for (let row = 0; row < slots * rowGap; row++) if (isAllowed(given, row)) bits[row >>> 5]! |= 1 << (row & 31);
  const scan = workspace.allocate(BitCodeScan.WORDS * 4) >>> 2;
  const keys = workspace.allocate(2 * wanted * KEY_BYTES);
  u32[scan + BitCodeScan.blocks] = put(blocksOf(given));
  u32[scan + BitCodeScan.blockBytes] = places * 16;
  u32[scan + BitCodeScan.places] = counted.length;
  u32[scan + BitCodeScan.placeList] = put(Uint32Array.from(counted, (place) => place * 16));
  u32[scan + BitCodeScan.tables] = put(
    Uint8Array.from(counted.flatMap((place) => tables.slice(place * 16, place * 16 + 16))),
  );
  u32[scan + BitCodeScan.vectors] = vectors.length;
  u32[scan + BitCodeScan.rows] = allowed === null ? 0 : put(bits);
  u32[scan + BitCodeScan.rowList] =
    rowGap === 1 ? 0 : put(Uint32Array.from({ length: slots }, (_, slot) => slot * rowGap));
  u32[scan + BitCodeScan.starts] = slots === vectors.length ? 0 : put(Uint32Array.from(starts));
  u32[scan + BitCodeScan.slots] = slots;
  u32[scan + BitCodeScan.wanted] = wanted;
  u32[scan + BitCodeScan.keys] = keys;
  u32[scan + BitCodeScan.size] = 0;
  u32[scan + BitCodeScan.limit] = -1;
  u32[scan + BitCodeScan.room] = workspace.allocate(SCAN_ROOM_BYTES);
  const blocks = Math.ceil(vectors.length / BLOCK);
  for (let from = 0; from < blocks; from += 2 * step) {
    kernels.scanSketches(scan * 4, from, Math.min(blocks, from + 2 * step), step);
  }
  const size = u32[scan + BitCodeScan.size]!;
  const kept = Math.min(size, wanted);
  if (size > wanted) kernels.select(keys, size, wanted);
  const all = Array.from({ length: kept }, (_, i) => ({
    vector: u32[(keys >>> 2) + 2 * i]!,
    far: u32[(keys >>> 2) + 2 * i + 1]!,
  }));
  all.sort((a, b) => a.far - b.far || a.vector - b.vector);
  return all.map(({ far, vector }) => `${far} ${vector}`);
}

test("those of which the tables say most are kept, of equal ones the first", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { mark } = workspace;
      try {
        assert.deepEqual(found(given), expected(given));
      } finally {
        workspace.release(mark);
      }
    }),
    { numRuns: 300 },
  );
});

test("the lowest keys come to the front, the highest of them last", () => {
  const keys = fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 63n }), { minLength: 1, maxLength: 200, size: "max" });
  fc.assert(
    fc.property(keys, fc.nat(), (all, some) => {
      const { mark } = workspace;
      const wanted = 1 + (some % all.length);
      const at = workspace.allocate(all.length * KEY_BYTES);
      const there = new BigUint64Array(workspace.memory.buffer, at, all.length);
      there.set(all);
      kernels.select(at, all.length, wanted);
      const front = Array.from(there.subarray(0, wanted));
      const order = (a: bigint, b: bigint): number => (a < b ? -1 : 1);
      assert.deepEqual([...front].sort(order), [...all].sort(order).slice(0, wanted));
      assert.equal(front.at(-1), [...front].sort(order).at(-1));
      workspace.release(mark);
    }),
    { numRuns: 300 },
  );
});

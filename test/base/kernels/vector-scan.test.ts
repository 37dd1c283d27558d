/** The scans of vector search: the compiled kernels say what their plain twins say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { VectorSet } from "../../../src/base/kernels/vector/generated/layout.ts";
import { KEY_BYTES, SET_WORDS, vectorKernels } from "../../../src/base/kernels/vector/kernels.ts";
import { VectorTarget } from "../../../src/engine/vector/target.ts";
import { Workspace } from "../../../src/storage/memory/workspace.ts";
import {
  codeBytes,
  codeInto,
  normOf,
  quantizeInto,
  wordsPerVector,
} from "../../../src/storage/segment/vectors/format.ts";
import { VectorTwin } from "./vector-twin.ts";

const { workspace } = Workspace.around(new Uint8Array(0), 1 << 20);
const kernels = vectorKernels(workspace.memory);
const twin = new VectorTwin(workspace.memory);

interface Case {
  dimensions: number;
  /** Vectors of each slot. */
  slots: number[][][];
  target: number[];
  /** Row of each slot and rows that may be kept; null for plain ones. */
  rowGaps: number[] | null;
  allowed: boolean[] | null;
  wanted: number;
}

const cases: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 40 }).chain((dimensions) => {
  const number = fc.oneof(fc.constantFrom(0, 1, -1, 0.5), fc.float({ min: -4, max: 4, noNaN: true }));
  const vector = fc.array(number, { minLength: dimensions, maxLength: dimensions });
  return fc.record({
    dimensions: fc.constant(dimensions),
    slots: fc.oneof(
      fc.array(fc.array(vector, { minLength: 1, maxLength: 1 }), { maxLength: 50 }),
      fc.array(fc.array(vector, { minLength: 1, maxLength: 3 }), { maxLength: 30 }),
    ),
    target: vector,
    rowGaps: fc.option(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 9 })),
    allowed: fc.option(fc.array(fc.boolean(), { minLength: 1, maxLength: 13 })),
    wanted: fc.integer({ min: 1, max: 12 }),
  });
});

function put(bytes: Uint8Array | Uint32Array | Float32Array | Int16Array): number {
  const at = workspace.allocate(bytes.byteLength);
  workspace.u8.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), at);
  return at;
}

/** Writes a set without its data; returns where it is, and the vectors in order. */
function layOut({ slots, rowGaps, allowed }: Case): { set: number; vectors: number[][] } {
  const set = workspace.allocate(SET_WORDS * 4);
  const { u32 } = workspace;
  let row = -1;
  const rows = slots.map((_, slot) => {
    row += rowGaps === null ? 1 : rowGaps[slot % rowGaps.length]!;
    return row;
  });
  const starts = [0];
  for (const own of slots) starts.push(starts.at(-1)! + own.length);
  const isSingle = starts.at(-1) === slots.length;
  const bits = new Uint32Array((Math.max(0, row) >>> 5) + 2);
  for (const each of rows) if (allowed?.[each % allowed.length] === true) bits[each >>> 5]! |= 1 << (each & 31);
  u32[(set >>> 2) + VectorSet.starts] = isSingle ? 0 : put(Uint32Array.from(starts));
  u32[(set >>> 2) + VectorSet.rowList] = rowGaps === null ? 0 : put(Uint32Array.from(rows));
  u32[(set >>> 2) + VectorSet.rows] = allowed === null ? 0 : put(bits);
  return { set, vectors: slots.flat() };
}

function describe(set: number, data: number, factors: number, stride: number, query: number, unit: number): void {
  const at = set >>> 2;
  workspace.u32.set([data, factors, stride], at + VectorSet.data);
  workspace.u32[at + VectorSet.query] = query;
  workspace.f32[at + VectorSet.unit] = unit;
}

function keysAt(heap: number, size: number): string[] {
  const { f32, u32 } = workspace;
  const at = heap >>> 2;
  return Array.from({ length: size }, (_, i) => `${u32[at + 2 * i]} ${f32[at + 2 * i + 1]}`);
}

/** The slots whose rows may be kept: where they are listed, 0 for all, and how many. */
function listed(runner: typeof kernels | VectorTwin, { slots, allowed }: Case, set: number): [number, number] {
  if (allowed === null) return [0, slots.length];
  const list = workspace.allocate(slots.length * 4);
  return [list, runner.listSlots(set, 0, slots.length, list)];
}

/** Runs a scan in two stretches; the keys it kept, in order. */
function kept(
  runner: typeof kernels | VectorTwin,
  scan: "scanFloats" | "scanBits",
  set: number,
  given: Case,
): string[] {
  const { wanted } = given;
  const heap = workspace.allocate(wanted * KEY_BYTES);
  const [list, count] = listed(runner, given, set);
  const half = count >>> 1;
  const rest = list === 0 ? 0 : list + 4 * half;
  const size = runner[scan](set, list, 0, half, heap, 0, wanted);
  const all = runner[scan](set, rest, half, count - half, heap, size, wanted);
  runner.sorted(heap, all);
  return keysAt(heap, all);
}

function check(run: (given: Case) => void): void {
  fc.assert(
    fc.property(cases, (given) => {
      const { mark } = workspace;
      try {
        run(given);
      } finally {
        workspace.release(mark);
      }
    }),
    { numRuns: 300 },
  );
}

function floatSet(given: Case): number {
  const { set, vectors } = layOut(given);
  const target = new VectorTarget(given.target);
  const floats = vectors.map((each) => Float32Array.from(each));
  const norms = Float32Array.from(floats, (each) => normOf(each, 0, each.length));
  describe(set, put(Float32Array.from(vectors.flat())), put(norms), given.dimensions, put(target.floats), target.norm);
  return set;
}

test("a scan of floats keeps the nearest, and knows which vector of a slot is the nearest", () => {
  check((given) => {
    const set = floatSet(given);
    const { length } = given.slots;
    assert.deepEqual(kept(kernels, "scanFloats", set, given), kept(twin, "scanFloats", set, given));
    if (given.allowed !== null) {
      for (const from of [0, 3, 33]) {
        const expected = twin.listSlots(set, Math.min(from, length), length, 0);
        assert.equal(kernels.listSlots(set, Math.min(from, length), length, 0), expected);
      }
    }
    for (let slot = 0; slot < length; slot++) {
      assert.equal(kernels.bestOfFloats(set, slot), twin.bestOfFloats(set, slot));
    }
  });
});

test("a scan of bits keeps the nearest", () => {
  check((given) => {
    const { set, vectors } = layOut(given);
    const words = wordsPerVector(given.dimensions);
    const bits = new Uint32Array(words * vectors.length);
    vectors.forEach((each, i) => {
      quantizeInto(each, bits, i * words);
    });
    const target = new VectorTarget(given.target);
    describe(set, put(bits), 0, words * 4, put(target.bits), target.bitCount);
    assert.deepEqual(kept(kernels, "scanBits", set, given), kept(twin, "scanBits", set, given));
  });
});

test("a scan of codes gathers all that could be nearest; ranking them gives what a scan of floats gives", () => {
  check((given) => {
    const { length } = given.slots;
    const { wanted } = given;
    const exact = floatSet(given);
    const target = new VectorTarget(given.target);
    if (!target.hasDirection) return;
    const { set, vectors } = layOut(given);
    const stride = codeBytes(given.dimensions);
    const codes = new Uint8Array(stride * vectors.length);
    const scales = Float32Array.from(vectors, (each, i) => {
      const floats = Float32Array.from(each);
      return codeInto(floats, normOf(floats, 0, floats.length), new Int8Array(codes.buffer, i * stride, stride));
    });
    describe(set, put(codes), put(scales), stride, put(target.wide.numbers), target.wide.unit);
    workspace.f32[(set >>> 2) + VectorSet.half] = target.wide.error;
    const candidates = (runner: typeof kernels | VectorTwin): { list: number; count: number } => {
      const found = workspace.allocate((1 + wanted + length) * KEY_BYTES);
      workspace.u32.fill(0, found >>> 2, (found >>> 2) + 2);
      const [list, count] = listed(runner, given, set);
      assert.equal(runner.scanCodes(set, list, 0, count, wanted, found, length), count);
      return { list: found + (1 + wanted) * KEY_BYTES, count: workspace.u32[found >>> 2]! };
    };
    const own = candidates(kernels);
    const plain = candidates(twin);
    assert.deepEqual(keysAt(own.list, own.count), keysAt(plain.list, plain.count));
    const heap = workspace.allocate(wanted * KEY_BYTES);
    const size = kernels.rankFloats(exact, own.list, own.count, heap, 0, wanted);
    kernels.sorted(heap, size);
    assert.deepEqual(keysAt(heap, size), kept(twin, "scanFloats", exact, given));
  });
});

test("a scan of codes says where it ran out of room", () => {
  const given: Case = {
    dimensions: 2,
    slots: Array.from({ length: 20 }, () => [[1, 1]]),
    target: [1, 1],
    rowGaps: null,
    allowed: null,
    wanted: 1,
  };
  const { set } = layOut(given);
  const target = new VectorTarget(given.target);
  const codes = new Int8Array(20 * 16);
  const scales = new Float32Array(20);
  for (let i = 0; i < 20; i++) scales[i] = codeInto([1, 1], Math.SQRT2, codes.subarray(i * 16, i * 16 + 16));
  describe(set, put(new Uint8Array(codes.buffer)), put(scales), 16, put(target.wide.numbers), target.wide.unit);
  workspace.f32[(set >>> 2) + VectorSet.half] = target.wide.error;
  const found = workspace.allocate(KEY_BYTES * 12);
  workspace.u32.fill(0, found >>> 2, (found >>> 2) + 2);
  assert.equal(kernels.scanCodes(set, 0, 0, 20, 1, found, 8), 8);
});

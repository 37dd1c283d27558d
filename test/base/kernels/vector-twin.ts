/**
 * The kernels of vector search in plain TypeScript, one vector at a time: what tests hold the compiled ones to. The
 * server never runs them.
 */
import { VectorSet } from "../../../src/base/kernels/vector/generated/layout.ts";
import type { KeepNearest, VectorKernels } from "../../../src/base/kernels/vector/kernels.ts";

const { fround } = Math;

type ScanKernels = Pick<
  VectorKernels,
  "bestOfBits" | "bestOfFloats" | "listSlots" | "rankFloats" | "scanBits" | "scanCodes" | "scanFloats" | "sorted"
>;

/** Keys of a heap in the order of the kernels: its shape is not promised, its members are. */
export class VectorTwin implements ScanKernels {
  readonly #i8: Int8Array;
  readonly #i16: Int16Array;
  readonly #u32: Uint32Array;
  readonly #f32: Float32Array;
  readonly #u64: BigUint64Array;

  constructor({ buffer }: WebAssembly.Memory) {
    this.#i8 = new Int8Array(buffer);
    this.#i16 = new Int16Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#f32 = new Float32Array(buffer);
    this.#u64 = new BigUint64Array(buffer);
  }

  sorted(heap: number, size: number): void {
    this.#u64.subarray(heap >>> 3, (heap >>> 3) + size).sort();
  }

  listSlots(set: number, from: number, to: number, list: number): number {
    const slots = this.#slots(set, from, to);
    if (list !== 0) this.#u32.set(slots, list >>> 2);
    return slots.length;
  }

  scanFloats: KeepNearest = (set, list, from, count, heap, size, capacity) =>
    this.#keep(this.#listed(list, from, count), (vector) => this.#exact(set, vector), set, heap, size, capacity);

  scanBits: KeepNearest = (set, list, from, count, heap, size, capacity) => {
    const all = this.#f32[(set >>> 2) + VectorSet.unit]!;
    const distance = (vector: number): number => fround(this.#differing(set, vector) / all);
    return this.#keep(this.#listed(list, from, count), distance, set, heap, size, capacity);
  };

  #listed(list: number, from: number, count: number): number[] {
    return Array.from({ length: count }, (_, i) => (list === 0 ? from + i : this.#u32[(list >>> 2) + i]!));
  }

  rankFloats(set: number, list: number, count: number, heap: number, size: number, capacity: number): number {
    const slots = Array.from({ length: count }, (_, i) => this.#u32[(list >>> 2) + 2 * i]!);
    return this.#keep(slots, (vector) => this.#exact(set, vector), set, heap, size, capacity);
  }

  bestOfFloats(set: number, slot: number): number {
    return this.#best(set, slot, (vector) => this.#exact(set, vector));
  }

  bestOfBits(set: number, slot: number): number {
    return this.#best(set, slot, (vector) => this.#differing(set, vector));
  }

  /** All of the slots whose best case is within the limit that the worst cases of the nearest set. */
  scanCodes(
    set: number,
    list: number,
    from: number,
    count: number,
    wanted: number,
    found: number,
    capacity: number,
  ): number {
    const candidates = this.#listed(list, from, count).flatMap((slot) => {
      const cases = this.#vectorsOf(set, slot).map((vector) => this.#estimate(set, vector));
      if (cases.length === 0) return [];
      return [{ slot, best: Math.min(...cases.map(([best]) => best)), worst: Math.min(...cases.map(([, w]) => w)) }];
    });
    const bounds = candidates.map(({ worst }) => worst).sort((a, b) => a - b);
    const limit = bounds[wanted - 1] ?? Number.POSITIVE_INFINITY;
    const kept = candidates.filter(({ best }) => best <= limit);
    if (kept.length > capacity) return 0;
    const at = (found >>> 2) + 2 + 2 * wanted;
    kept.forEach(({ slot, best }, i) => {
      this.#u32[at + 2 * i] = slot;
      this.#f32[at + 2 * i + 1] = best;
    });
    this.#u32[found >>> 2] = kept.length;
    return count;
  }

  /** Distance from the target in the best case and in the worst, with 1 added. */
  #estimate(set: number, vector: number): [number, number] {
    const at = set >>> 2;
    const stride = this.#u32[at + VectorSet.stride]!;
    const codes = this.#u32[at + VectorSet.data]! + vector * stride;
    const query = this.#u32[at + VectorSet.query]! >>> 1;
    let dot = 0;
    for (let i = 0; i < stride; i++) dot += this.#i8[codes + i]! * this.#i16[query + i]!;
    const scale = this.#f32[(this.#u32[at + VectorSet.factors]! >>> 2) + vector]!;
    const unit = this.#f32[at + VectorSet.unit]!;
    const similarity = scale === 0 ? 0 : fround(fround(fround(dot) * unit) * scale);
    const error = scale === 0 ? 1 : fround(this.#f32[at + VectorSet.half]! * scale);
    const distance = fround(2 - similarity);
    return [Math.max(0, fround(distance - error)), Math.max(0, fround(distance + error))];
  }

  #exact(set: number, vector: number): number {
    const at = set >>> 2;
    const dimensions = this.#u32[at + VectorSet.stride]!;
    const norm = this.#f32[(this.#u32[at + VectorSet.factors]! >>> 2) + vector]!;
    const norms = fround(this.#f32[at + VectorSet.unit]! * norm);
    if (norms === 0) return 0;
    const floats = (this.#u32[at + VectorSet.data]! >>> 2) + vector * dimensions;
    const query = this.#u32[at + VectorSet.query]! >>> 2;
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < dimensions; i++) {
      sums[i < dimensions - (dimensions % 4) ? i % 4 : 0]! += this.#f32[floats + i]! * this.#f32[query + i]!;
    }
    const cosine = fround(fround(sums[0]! + sums[1]! + (sums[2]! + sums[3]!)) / norms);
    return Math.max(0, fround(fround(1 - cosine) / 2));
  }

  #differing(set: number, vector: number): number {
    const at = set >>> 2;
    const words = this.#u32[at + VectorSet.stride]! >>> 2;
    const bits = (this.#u32[at + VectorSet.data]! >>> 2) + vector * words;
    const query = this.#u32[at + VectorSet.query]! >>> 2;
    let count = 0;
    for (let i = 0; i < words; i++) {
      for (let rest = (this.#u32[bits + i]! ^ this.#u32[query + i]!) >>> 0; rest !== 0; rest &= rest - 1) count++;
    }
    return count;
  }

  #slots(set: number, from: number, to: number): number[] {
    const at = set >>> 2;
    const rows = this.#u32[at + VectorSet.rows]!;
    const list = this.#u32[at + VectorSet.rowList]!;
    const slots: number[] = [];
    for (let slot = from; slot < to; slot++) {
      const row = list === 0 ? slot : this.#u32[(list >>> 2) + slot]!;
      if (rows === 0 || ((this.#u32[(rows >>> 2) + (row >>> 5)]! >>> (row & 31)) & 1) === 1) slots.push(slot);
    }
    return slots;
  }

  #vectorsOf(set: number, slot: number): number[] {
    const at = set >>> 2;
    const starts = this.#u32[at + VectorSet.starts]!;
    const first = starts === 0 ? slot : this.#u32[(starts >>> 2) + slot]!;
    const end = starts === 0 ? slot + 1 : this.#u32[(starts >>> 2) + slot + 1]!;
    return Array.from({ length: end - first }, (_, i) => first + i);
  }

  #best(set: number, slot: number, distanceOf: (vector: number) => number): number {
    const vectors = this.#vectorsOf(set, slot);
    return vectors.reduce((best, vector) => (distanceOf(vector) < distanceOf(best) ? vector : best), vectors[0]!);
  }

  #keep(
    slots: readonly number[],
    distanceOf: (vector: number) => number,
    set: number,
    heap: number,
    size: number,
    capacity: number,
  ): number {
    const at = heap >>> 2;
    const held = Array.from({ length: size }, (_, i) => ({
      slot: this.#u32[at + 2 * i]!,
      distance: this.#f32[at + 2 * i + 1]!,
    }));
    for (const slot of slots) {
      const distances = this.#vectorsOf(set, slot).map(distanceOf);
      if (distances.length > 0) held.push({ slot, distance: Math.min(...distances) });
    }
    held.sort((a, b) => a.distance - b.distance || a.slot - b.slot);
    const kept = held.slice(0, capacity);
    kept.forEach(({ slot, distance }, i) => {
      this.#u32[at + 2 * i] = slot;
      this.#f32[at + 2 * i + 1] = distance;
    });
    return kept.length;
  }
}

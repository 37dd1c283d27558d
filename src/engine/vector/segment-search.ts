/**
 * The nearest vectors of one segment, by kernels over its bytes in place. The 8-bit codes of candidates are compared
 * first, then the best are ranked exactly by their floats; candidates are all allowed vectors, or those that bit codes
 * or a walk through the graph propose where that is quicker. Embedders with binary quantization compare bits only.
 * Leaves nothing behind in the workspace.
 */
import { VectorSet } from "../../base/kernels/vector/generated/layout.ts";
import {
  KEY_BYTES,
  type KeepNearest,
  SET_WORDS,
  type VectorKernels,
  vectorKernels,
} from "../../base/kernels/vector/kernels.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import type { BitCodes } from "../../storage/segment/vectors/bit-codes.ts";
import type { EmbedderVectors } from "../../storage/segment/vectors/reader.ts";
import type { Deadline } from "../query/deadline.ts";
import { type Candidates, findCandidates } from "./bit-code-search.ts";
import { candidateBudget, quickestWay, sketchedCount, walkWidth } from "./cost-model.ts";
import { walked } from "./graph-search.ts";
import type { VectorTarget } from "./target.ts";

/** The vectors of one embedder in one segment. */
export interface SegmentVectors {
  reader: SegmentReader;
  vectors: EmbedderVectors;
  /** Image of their graph; null while there is none. */
  graph: Uint32Array | null;
  /** Null where there are few vectors. */
  sketches: BitCodes | null;
}

/** Nearest first; of equally near ones the lower slot. */
interface NearSlots {
  slots: Uint32Array;
  distances: Float32Array;
}

/** Bytes of codes, floats or bits that one call looks at: a fraction of a millisecond. */
const STRETCH_BYTES = 1 << 21;
const SLOTS_MIN = 64;
/** Work that makes the clock look at the time. */
const LOOK = 4096;
/** Room for slots that codes cannot tell from the nearest. */
const CANDIDATES = 4096;
/** When more than this share of the vectors may be found, it is not worth asking first which of a block may. */
const MANY_SHARE = 0.2;
/** Of vectors so long that it cannot be reckoned; kernels put these behind all others. */
const FARTHEST = 1;
/** So few are compared by their floats at once. */
const FEW = 128;

export class SegmentSearch {
  readonly #segment: SegmentVectors;
  readonly #target: VectorTarget;
  readonly #workspace: Workspace;
  readonly #kernels: VectorKernels;
  readonly #wayTo: typeof quickestWay;

  /** `wayTo`: how to look for the nearest, of the ways that there are. */
  constructor(segment: SegmentVectors, target: VectorTarget, wayTo = quickestWay) {
    this.#segment = segment;
    this.#target = target;
    this.#wayTo = wayTo;
    this.#workspace = segment.reader.home.workspace;
    this.#kernels = vectorKernels(this.#workspace.memory);
  }

  /** The `wanted` nearest slots among those whose rows are in the set; throws TimeIsUp. */
  nearest(rows: Bitmap, wanted: number, clock: Deadline): NearSlots {
    const { mark } = this.#workspace;
    try {
      const allowed = this.#allowed(rows);
      const found = Math.min(wanted, allowed.slots);
      const heap = this.#workspace.allocate(found * KEY_BYTES);
      const size = found === 0 ? 0 : this.#fill(heap, found, allowed, clock);
      this.#kernels.sorted(heap, size);
      return this.#read(heap, size);
    } finally {
      this.#workspace.release(mark);
    }
  }

  /** The number of the vector of a slot that is nearest. */
  best(slot: number): number {
    const { vectors } = this.#segment;
    if (vectors.isSingle) return slot;
    const { mark } = this.#workspace;
    const set = vectors.quantized ? this.#bits(0) : this.#floats(0);
    const best = vectors.quantized ? this.#kernels.bestOfBits(set, slot) : this.#kernels.bestOfFloats(set, slot);
    this.#workspace.release(mark);
    return best >>> 0;
  }

  #fill(heap: number, wanted: number, allowed: Allowed, clock: Deadline): number {
    const { vectors } = this.#segment;
    const kernels = this.#kernels;
    if (vectors.quantized) {
      const set = this.#bits(allowed.rows);
      return this.#keep(kernels.scanBits, set, vectors.wordsPerVector * 4, heap, wanted, allowed, clock);
    }
    const set = this.#floats(allowed.rows);
    if (vectors.isCoded && this.#target.hasDirection && allowed.slots > Math.max(FEW, 2 * wanted)) {
      const size =
        this.#fillByCandidates(heap, wanted, allowed, clock, set) ??
        this.#scan(heap, wanted, set, this.#target.wide.error, (codes, run) =>
          this.#each(codes, vectors.codeBytes, allowed, clock, run),
        );
      if (size !== null) return size;
    }
    return this.#keep(kernels.scanFloats, set, vectors.dimensions * 8, heap, wanted, allowed, clock);
  }

  /** Keeps the nearest of all allowed slots. */
  #keep(
    scan: KeepNearest,
    set: number,
    bytes: number,
    heap: number,
    wanted: number,
    allowed: Allowed,
    clock: Deadline,
  ): number {
    let size = 0;
    this.#each(set, bytes, allowed, clock, (list, from, count) => {
      size = scan(set, list, from, count, heap, size, wanted);
      return true;
    });
    return size;
  }

  /** About how many vectors the allowed slots have. */
  #allowedVectors({ slots }: Allowed): number {
    const { count, rowList } = this.#segment.vectors;
    return Math.round((slots * count) / Math.max(1, rowList.length));
  }

  /** Compares what bit codes or a walk propose; null when comparing all is quicker, or too few were found. */
  #fillByCandidates(heap: number, wanted: number, allowed: Allowed, clock: Deadline, floats: number): number | null {
    const workspace = this.#workspace;
    const candidates = this.#candidates(wanted, allowed, clock);
    if (candidates === null) return null;
    const count = this.#asSlots(candidates, allowed);
    const list = workspace.allocate(count * 4) >>> 2;
    const { u32 } = workspace;
    for (let i = 0; i < count; i++) u32[list + i] = u32[(candidates.keys >>> 2) + 2 * i]!;
    const size = this.#scan(heap, wanted, floats, this.#target.wide.likelyError, (_, run) => run(list * 4, 0, count));
    return size === wanted ? size : null;
  }

  /** By the way that is quickest; null when that is to look at all. */
  #candidates(wanted: number, allowed: Allowed, clock: Deadline): Candidates | null {
    const segment = this.#segment;
    const target = this.#target;
    const { graph, sketches, vectors } = segment;
    const task = {
      vectors: vectors.count,
      allowed: this.#allowedVectors(allowed),
      codeBytes: vectors.codeBytes,
      places: sketches?.places ?? null,
      cells: sketches?.cells?.count ?? null,
      hasGraph: graph !== null,
      wanted,
    };
    const way = this.#wayTo(task);
    const { rows } = allowed;
    if (way === "walk" && graph !== null) {
      return walked(segment, graph, target, { rows, wanted: walkWidth(wanted) }, clock);
    }
    if (way === "scan" || sketches === null) return null;
    const query = {
      rows,
      wanted: sketchedCount(task),
      sought: wanted,
      seen: candidateBudget(task),
      isMany: task.allowed > MANY_SHARE * task.vectors,
    };
    return findCandidates(segment, sketches, target, query, clock);
  }

  /** Of the slots that `each` goes through. Null when there are too many that codes cannot tell apart. */
  #scan(heap: number, wanted: number, floats: number, codeError: number, each: EachSlot): number | null {
    const kernels = this.#kernels;
    const target = this.#target;
    const workspace = this.#workspace;
    const { codes, codeBytes, scales } = this.#segment.vectors;
    const set = this.#set(codes, scales, codeBytes, 0);
    const { numbers, unit } = target.wide;
    workspace.u32[(set >>> 2) + VectorSet.query] = this.#wide(numbers);
    workspace.f32[(set >>> 2) + VectorSet.unit] = unit;
    workspace.f32[(set >>> 2) + VectorSet.half] = codeError;
    const capacity = CANDIDATES + 2 * wanted;
    const found = workspace.allocate(KEY_BYTES * (1 + wanted + capacity));
    workspace.u32.fill(0, found >>> 2, (found >>> 2) + 2);
    const isWhole = each(
      set,
      (list, from, count) => kernels.scanCodes(set, list, from, count, wanted, found, capacity) >>> 0 === count,
    );
    if (!isWhole) return null;
    const keys = found + KEY_BYTES * (1 + wanted);
    return kernels.rankFloats(floats, keys, workspace.u32[found >>> 2]!, heap, 0, wanted);
  }

  /** Makes slots of those found, each once, and adds the allowed ones of those of which nothing is known. */
  #asSlots({ keys, size, ids, loose }: Candidates, allowed: Allowed): number {
    const { vectors } = this.#segment;
    const { u32 } = this.#workspace;
    if (vectors.isSingle && loose.length === 0) return size;
    const slots = new Set<number>();
    const at = keys >>> 2;
    for (let i = 0; i < size; i++) {
      const id = u32[at + 2 * i]!;
      slots.add(ids === "slots" ? id : vectors.slotOfVector(id));
    }
    for (const vector of loose) {
      const slot = vectors.slotOfVector(vector);
      if (allowed.has(vectors.rowList[slot]!)) slots.add(slot);
    }
    let count = 0;
    for (const slot of slots) u32[at + 2 * count++] = slot;
    return count;
  }

  /** Runs over all allowed slots, some at a time, until `run` says no; `bytes` are those of a vector. */
  #each(set: number, bytes: number, allowed: Allowed, clock: Deadline, run: RunOver): boolean {
    const { length } = this.#segment.vectors.rowList;
    const step = Math.max(SLOTS_MIN, Math.floor(STRETCH_BYTES / Math.max(1, bytes)));
    this.#workspace.u32[(set >>> 2) + VectorSet.rows] = allowed.rows;
    const list = allowed.rows === 0 ? 0 : this.#workspace.allocate(Math.min(step, length) * 4);
    for (let from = 0; from < length; from += step) {
      const to = Math.min(length, from + step);
      const count = list === 0 ? to - from : this.#kernels.listSlots(set, from, to, list);
      if (!run(list, from, count)) return false;
      clock.spend(LOOK);
    }
    return true;
  }

  #allowed(rows: Bitmap): Allowed {
    const { codes, rowList, scales } = this.#segment.vectors;
    const has = (row: number): boolean => rows.has(row);
    const at = this.#address(rows);
    const set = this.#set(codes, scales, 0, at);
    const slots = this.#kernels.listSlots(set, 0, rowList.length, 0);
    return { rows: slots === rowList.length ? 0 : at, slots, has };
  }

  /** Where kernels find a set of rows; one that lies elsewhere is copied. */
  #address({ words }: Bitmap): number {
    const { u32 } = this.#workspace;
    if (words.buffer === u32.buffer) return words.byteOffset;
    const at = this.#workspace.allocate(words.byteLength);
    u32.set(words, at >>> 2);
    return at;
  }

  #set(
    data: Uint8Array | Uint32Array | Float32Array,
    factors: Float32Array | null,
    stride: number,
    rows: number,
  ): number {
    const { reader, vectors } = this.#segment;
    const { u32 } = this.#workspace;
    const set = this.#workspace.allocate(SET_WORDS * 4);
    const at = set >>> 2;
    u32[at + VectorSet.starts] = vectors.isSingle ? 0 : reader.addressOf(vectors.starts);
    u32[at + VectorSet.rowList] = vectors.isDense ? 0 : reader.addressOf(vectors.rowList);
    u32[at + VectorSet.data] = reader.addressOf(data);
    u32[at + VectorSet.factors] = factors === null ? 0 : reader.addressOf(factors);
    u32[at + VectorSet.stride] = stride;
    u32[at + VectorSet.rows] = rows;
    return set;
  }

  #floats(rows: number): number {
    const target = this.#target;
    const workspace = this.#workspace;
    const { dimensions, floats, norms } = this.#segment.vectors;
    const set = this.#set(floats, norms, dimensions, rows);
    const query = workspace.allocate(target.floats.byteLength);
    workspace.f32.set(target.floats, query >>> 2);
    workspace.u32[(set >>> 2) + VectorSet.query] = query;
    workspace.f32[(set >>> 2) + VectorSet.unit] = target.norm;
    return set;
  }

  #bits(rows: number): number {
    const target = this.#target;
    const workspace = this.#workspace;
    const { bits, wordsPerVector } = this.#segment.vectors;
    const set = this.#set(bits, null, wordsPerVector * 4, rows);
    const query = workspace.allocate(target.bits.byteLength);
    workspace.u32.set(target.bits, query >>> 2);
    workspace.u32[(set >>> 2) + VectorSet.query] = query;
    workspace.f32[(set >>> 2) + VectorSet.unit] = target.bitCount;
    return set;
  }

  #wide(numbers: Int16Array): number {
    const at = this.#workspace.allocate(numbers.byteLength);
    this.#workspace.u16.set(numbers, at >>> 1);
    return at;
  }

  #read(heap: number, size: number): NearSlots {
    const { f32, u32 } = this.#workspace;
    const slots = new Uint32Array(size);
    const distances = new Float32Array(size);
    for (let i = 0; i < size; i++) {
      slots[i] = u32[(heap >>> 2) + 2 * i]!;
      const distance = f32[(heap >>> 2) + 2 * i + 1]!;
      distances[i] = Number.isNaN(distance) ? FARTHEST : distance;
    }
    return { slots, distances };
  }
}

/** Looks at `count` slots: those of a list or, without one, those from `from` on. False when that is enough. */
type RunOver = (list: number, from: number, count: number) => boolean;
/** Runs over the slots that count, of the set at an address; false when it did not get through. */
type EachSlot = (set: number, run: RunOver) => boolean;

/** The slots that may be found. */
interface Allowed {
  /** Address of the rows, 0 when all may be found. */
  rows: number;
  slots: number;
  has(row: number): boolean;
}

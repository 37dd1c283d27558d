/** Libraries for vector search in JavaScript, native code behind them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { trustAddonsIn } from "../../src/base/native/admission.ts";
import { type HnswlibIndex, hnswlib, type NewHnswlibIndex } from "../../src/engine/helper/hnswlib.ts";
import { optionalPackage } from "../lib/packages.ts";
import type { Contender, VectorSet } from "./contender.ts";

/** Links of a node and effort of building, as ours has them. */
const LINKS = 16;
const BUILD_EFFORT = 96;
/** Packages that only measurements use. */
const OTHERS = fileURLToPath(new URL("../node_modules", import.meta.url));
const EFFORTS = [48, 96, 160, 224, 288, 384, 512];

class HnswlibContender implements Contender {
  readonly name = "hnswlib-node";
  readonly efforts = EFFORTS;
  readonly #Index: NewHnswlibIndex;
  #index: HnswlibIndex | null = null;

  constructor(Index: NewHnswlibIndex) {
    this.#Index = Index;
  }

  build({ count, dimensions, floats }: VectorSet): void {
    this.#index = new this.#Index("cosine", dimensions);
    this.#index.initIndex(count, LINKS, BUILD_EFFORT, 100);
    for (let id = 0; id < count; id++) {
      this.#index.addPoint(Array.from(floats.subarray(id * dimensions, (id + 1) * dimensions)), id);
    }
  }

  setEffort(effort: number): void {
    this.#index!.setEf(effort);
  }

  search(query: Float32Array, wanted: number, every: number): number[] {
    const filter = every === 1 ? undefined : (id: number): boolean => id % every === 0;
    return this.#index!.searchKnn(Array.from(query), wanted, filter).neighbors;
  }

  close(): void {}
}

interface UsearchIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, k: number, threads: number): { keys: BigUint64Array };
  save(file: string): void;
  load(file: string): void;
}

interface UsearchConfig {
  dimensions: number;
  metric: string;
  quantization: string;
  connectivity: number;
  expansion_add: number;
  expansion_search: number;
  multi: boolean;
}

interface Usearch {
  Index: new (config: UsearchConfig) => UsearchIndex;
}

class UsearchContender implements Contender {
  readonly name = "usearch";
  readonly efforts = EFFORTS;
  readonly #library: Usearch;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "perf-usearch-"));
  readonly #file = path.join(this.#folder, "index");
  #dimensions = 0;
  #index: UsearchIndex | null = null;

  constructor(library: Usearch) {
    this.#library = library;
  }

  #open(effort: number): UsearchIndex {
    return new this.#library.Index({
      dimensions: this.#dimensions,
      metric: "cos",
      quantization: "f32",
      connectivity: LINKS,
      expansion_add: BUILD_EFFORT,
      expansion_search: effort,
      multi: false,
    });
  }

  build({ count, dimensions, floats }: VectorSet): void {
    this.#dimensions = dimensions;
    this.#index = this.#open(EFFORTS[0]!);
    const keys = BigUint64Array.from({ length: count }, (_, id) => BigInt(id));
    this.#index.add(keys, floats.subarray(0, count * dimensions), 1);
    this.#index.save(this.#file);
  }

  setEffort(effort: number): void {
    this.#index = this.#open(effort);
    this.#index.load(this.#file);
  }

  search(query: Float32Array, wanted: number, every: number): number[] | null {
    if (every !== 1) return null;
    return Array.from(this.#index!.search(query, wanted, 1).keys, Number);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Null when it was not compiled. */
export async function hnswlibContender(): Promise<Contender | null> {
  const Index = hnswlib();
  return Index === null ? null : new HnswlibContender(Index);
}

export async function usearch(): Promise<Contender | null> {
  if (existsSync(OTHERS)) trustAddonsIn(OTHERS);
  const library = await optionalPackage<Usearch>("usearch");
  return library === null ? null : new UsearchContender(library);
}

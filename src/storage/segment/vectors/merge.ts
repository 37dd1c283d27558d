/** Several vectors parts in, one out: rows in their new order, vectors copied as they are, dropped rows left behind. */
import { bytesOf, WordLog } from "../byte-log.ts";
import type { PackedVector } from "../flat-table.ts";
import type { Part } from "../parts.ts";
import type { RowPlan } from "../row-plan.ts";
import type { CodedVectors } from "./format.ts";
import type { EmbedderVectors, VectorsReader } from "./reader.ts";
import { type PackedEmbedder, vectorParts } from "./writer.ts";

/** Vectors whose codes are made or copied at a time. */
const CODED_AT_ONCE = 4096;

/** None when no input has embedders. */
export function mergeVectors(readers: readonly (VectorsReader | null)[], plan: RowPlan): Part[] {
  const names = new Set(readers.flatMap((reader) => reader?.embedders.map(({ name }) => name) ?? []));
  if (names.size === 0) return [];
  const embedders = [...names].map((name) =>
    mergeEmbedder(
      readers.map((reader) => reader?.embedder(name) ?? null),
      plan,
    ),
  );
  return vectorParts(plan.rows, embedders);
}

/** A stretch of vectors that stay side by side. */
interface Run {
  source: EmbedderVectors;
  from: number;
  to: number;
}

function mergeEmbedder(sources: readonly (EmbedderVectors | null)[], plan: RowPlan): PackedEmbedder {
  const rule = sources.find((source) => source !== null)!;
  const rowList = new WordLog();
  const starts = new WordLog();
  const regenerating: number[] = [];
  const runs: Run[] = [];
  const next = sources.map(() => 0);
  let vectors = 0;
  starts.push(0);
  for (let i = 0; i < plan.rows; i++) {
    const input = plan.inputsOf[i]!;
    const source = sources[input];
    if (!source) continue;
    // Rows of one input come in ascending order, so its slots are passed over once.
    let slot = next[input]!;
    while (slot < source.rowList.length && source.rowList[slot]! < plan.rowsOf[i]!) slot++;
    next[input] = slot;
    if (source.rowList[slot] !== plan.rowsOf[i]) continue;
    const from = source.starts[slot]!;
    const to = source.starts[slot + 1]!;
    if (source.mayRegenerate(slot)) regenerating.push(rowList.length);
    rowList.push(i);
    vectors += to - from;
    starts.push(vectors);
    const last = runs.at(-1);
    if (last !== undefined && last.source === source && last.to === from) last.to = to;
    else runs.push({ source, from, to });
  }
  const regenerate = new Uint32Array((rowList.length + 31) >>> 5);
  for (const place of regenerating) regenerate[place >>> 5]! |= 1 << (place & 31);
  const width = rule.quantized ? rule.wordsPerVector : rule.dimensions;
  const [floatRuns, floatVectors] = rule.quantized ? [[], 0] : [runs, vectors];
  return {
    rule,
    rowList: rowList.view(),
    starts: starts.view(),
    regenerate,
    norms: packed(floatRuns, floatVectors, 1, ({ norms }) => norms),
    data: packed(runs, vectors, width, (source) => (rule.quantized ? source.bits : source.floats)),
    scales: codedVector(floatRuns, floatVectors * 4, ({ scales }) => scales),
    codes: codedVector(floatRuns, floatVectors * rule.codeBytes, ({ codes }) => codes),
    coded: () => codedRuns(floatRuns),
  };
}

/** Some vectors at a time: codes that have to be made are not kept. */
function* codedRuns(runs: readonly Run[]): Generator<CodedVectors> {
  for (const { source, from, to } of runs) {
    for (let at = from; at < to; at += CODED_AT_ONCE) yield source.coded(at, Math.min(to, at + CODED_AT_ONCE));
  }
}

function codedVector(
  runs: readonly Run[],
  byteLength: number,
  pick: (coded: CodedVectors) => Uint8Array | Float32Array,
): PackedVector {
  const chunks = function* (): Generator<Uint8Array> {
    for (const coded of codedRuns(runs)) yield bytesOf(pick(coded));
  };
  return { chunks: chunks(), byteLength, elementBytes: 4 };
}

function packed(runs: readonly Run[], vectors: number, width: number, listOf: ListOf): PackedVector {
  const bytes = runs.length === 0 ? 0 : listOf(runs[0]!.source).BYTES_PER_ELEMENT;
  return { chunks: chunks(runs, width, listOf), byteLength: vectors * width * bytes, elementBytes: 4 };
}

type ListOf = (source: EmbedderVectors) => Float32Array | Uint32Array;

function* chunks(runs: readonly Run[], width: number, listOf: ListOf): Generator<Uint8Array> {
  for (const { source, from, to } of runs) yield bytesOf(listOf(source).subarray(from * width, to * width));
}

/**
 * Several segments in, one out, without reading a word of their documents: rows are ordered by internal id, dropped rows
 * left behind, terms merged in byte order and their occurrences renumbered. The result is what building the surviving
 * documents at once would give. `rebuildSegment` does read documents: for rules that have changed.
 */
import { GrowingIds } from "../../base/document/id-list.ts";
import type { Bitmap } from "./bitmap.ts";
import { type BuildInput, buildSegment } from "./build.ts";
import { mergeBodies } from "./documents/merge.ts";
import { FieldSetsWriter } from "./field-sets/writer.ts";
import { mergedParts } from "./made-parts.ts";
import { MergeMemory } from "./merge-memory.ts";
import type { BuiltSegment } from "./parts.ts";
import type { SegmentReader } from "./reader.ts";
import { mergeRows } from "./row-plan.ts";
import type { ExtractionRules } from "./rules.ts";

export interface MergeInput {
  reader: SegmentReader;
  /** Rows to keep; null = all. */
  live: Bitmap | null;
}

/**
 * Bodies are read from the inputs' files while the result is written: keep them open until then. `memory`: where the hot
 * parts of the inputs lie, or are copied to.
 */
export function mergeSegments(inputs: readonly MergeInput[], memory = new MergeMemory()): BuiltSegment {
  const plan = mergeRows(inputs);
  const readers = inputs.map(({ reader }) => reader);
  const fieldSets = new FieldSetsWriter(plan.rows);
  readers.forEach((reader, i) => {
    fieldSets.take(reader.fieldSets, plan.rowMaps[i]!);
  });
  const bodies = mergeBodies(
    readers.map(({ documents }) => documents),
    plan,
    fieldSets.names,
  );
  const parts = mergedParts({ memory, readers, plan, bodies, fieldSets });
  return { rows: plan.rows, documentBytes: bodies.offsets[plan.rows]!, parts };
}

/** The surviving documents of one segment, indexed anew by other rules. Throws as `buildSegment` does. */
export function rebuildSegment(input: MergeInput, rules: ExtractionRules): BuiltSegment {
  const { reader } = input;
  const plan = mergeRows([input]);
  const offsets = new Float64Array(plan.rows + 1);
  const ids = new GrowingIds();
  plan.rowsOf.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + reader.documentLength(row);
    reader.pushId(row, ids);
  });
  const documents = new Uint8Array(offsets[plan.rows]!);
  for (let i = 0; i < plan.rows; ) {
    const end = plan.runEnd(i);
    reader.readDocuments(plan.rowsOf[i]!, plan.rowsOf[end - 1]! + 1, documents, offsets[i]!);
    i = end;
  }
  const build: BuildInput = { docids: plan.docids, externalIds: ids.view(), documents, offsets, rules };
  return buildSegment(build);
}

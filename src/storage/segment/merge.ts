/**
 * Several segments in, one out, without reading a word of their documents: rows are ordered by internal id, dropped rows
 * left behind, terms merged in byte order and their occurrences renumbered. The result is what building the surviving
 * documents at once would give. `rebuildSegment` does read documents: for rules that have changed.
 */
import { GrowingIds } from "../../base/document/id-list.ts";
import type { Bitmap } from "./bitmap.ts";
import { type BuildInput, buildSegment } from "./build.ts";
import { WordLog } from "./byte-log.ts";
import { mergeColumns } from "./columns/merge.ts";
import { mergeBodies } from "./documents/merge.ts";
import { documentParts } from "./documents/writer.ts";
import { FieldLengthsWriter } from "./field-lengths/writer.ts";
import { FieldSetsWriter } from "./field-sets/writer.ts";
import { FieldSets } from "./fields/writer.ts";
import { mergeForward } from "./forward/merge.ts";
import { mergeGeo } from "./geo/points.ts";
import { geoParts } from "./geo-parts.ts";
import { mergeGeoJson } from "./geojson/shapes.ts";
import { idsPart, storedIds } from "./ids/writer.ts";
import { type BuiltSegment, PART_COLUMNS, type Part } from "./parts.ts";
import { PostingsWriter } from "./postings/writer.ts";
import type { SegmentReader } from "./reader.ts";
import { mergeRows, type RowPlan } from "./row-plan.ts";
import type { ExtractionRules } from "./rules.ts";
import { TermMerger } from "./term-merger.ts";
import { TermsWriter } from "./terms/writer.ts";
import { mergeVectors } from "./vectors/merge.ts";
import { mergeOrigins } from "./vectors/origins.ts";

export interface MergeInput {
  reader: SegmentReader;
  /** Rows to keep; null = all. */
  live: Bitmap | null;
}

/** Bodies are read from the inputs' files while the result is written: keep them open until then. */
export function mergeSegments(inputs: readonly MergeInput[]): BuiltSegment {
  const plan = mergeRows(inputs);
  const readers = inputs.map(({ reader }) => reader);
  const columns = mergeColumns(
    readers.map((reader, i) => ({ reader: reader.columns, rowMap: plan.rowMaps[i]! })),
    plan.rows,
  );
  const shapes = new FieldSetsWriter(plan.rows);
  readers.forEach((reader, i) => {
    shapes.take(reader.shapes, plan.rowMaps[i]!);
  });
  const bodies = mergeBodies(
    readers.map(({ documents }) => documents),
    plan,
    shapes.names,
  );
  return {
    rows: plan.rows,
    documentBytes: bodies.offsets[plan.rows]!,
    parts: [
      ...documentParts(bodies),
      idsPart(plan.docids, mergedIds(readers, plan)),
      ...textParts(readers, plan),
      { kind: PART_COLUMNS, chunks: [columns] },
      ...geoParts(
        mergeGeo(
          readers.map((reader, i) => ({ reader: reader.geo, rowMap: plan.rowMaps[i]! })),
          plan.rows,
        ),
        mergeGeoJson(
          readers.map((reader, i) => ({ reader: reader.geojson, rowMap: plan.rowMaps[i]! })),
          plan.rows,
        ),
      ),
      shapes.part(),
      ...mergeVectors(
        readers.map((reader) => reader.vectors),
        plan,
      ),
      ...mergeOrigins(
        readers.map((reader) => reader.origins),
        plan,
      ),
    ],
  };
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

function mergedIds(readers: readonly SegmentReader[], plan: RowPlan) {
  const columns = readers.map((reader) => reader.idNumbers);
  if (columns.every((numbers) => numbers !== null)) {
    return { numbers: plan.rowsOf.map((row, i) => columns[plan.inputsOf[i]!]![row]!) };
  }
  const ids = new GrowingIds();
  for (let i = 0; i < plan.rows; i++) readers[plan.inputsOf[i]!]!.pushId(plan.rowsOf[i]!, ids);
  return storedIds(ids.view());
}

function textParts(readers: readonly SegmentReader[], plan: RowPlan): Part[] {
  const names = [...new Set(readers.flatMap((reader) => reader.fields))].sort((a, b) => (a < b ? -1 : 1));
  const ids = new Map(names.map((name, id) => [name, id]));
  const fieldMaps = readers.map((reader) => Uint16Array.from(reader.fields, (name) => ids.get(name)!));
  const sets = new FieldSets(names.length);
  const postings = new PostingsWriter(plan.rows, sets);
  const terms = new TermsWriter(postings);
  const merger = new TermMerger(readers, plan.rowMaps, fieldMaps);
  while (merger.next()) {
    if (merger.count === 0) continue;
    terms.add(merger.term, 0, merger.termLength, merger.pairs, 0, merger.count);
  }
  const facts = new FieldLengthsWriter(plan.rows);
  for (const field of sets.used()) {
    const entries = mergedFacts(readers, plan, names[field]!);
    facts.field(entries, entries.length);
  }
  const { ordinals, termCount } = merger;
  const finalIds = sets.finalIds();
  const forward = mergeForward(
    readers.map((reader, i) => ({
      reader: reader.forward,
      ordinals: ordinals[i]!,
      fields: fieldMaps[i]!.map((field) => finalIds[field]!),
    })),
    termCount,
    plan,
  );
  return [sets.part(plan.rows, names), facts.part(), terms.part(), ...postings.parts(), ...forward];
}

/** (row << 5 | number of words) of one field, ascending. */
function mergedFacts(readers: readonly SegmentReader[], plan: RowPlan, name: string): Uint32Array {
  const entries = new WordLog();
  readers.forEach((reader, i) => {
    const field = reader.fieldTable.idOf(name);
    if (field < 0) return;
    const rowMap = plan.rowMaps[i]!;
    reader.facts.forEach(field, (row, wordCount) => {
      const to = rowMap[row]!;
      if (to >= 0) entries.push(to * 32 + wordCount);
    });
  });
  return entries.view().sort();
}

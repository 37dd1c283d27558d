/** The words of several segments as those of one: terms in byte order, occurrences renumbered, lengths of fields. */
import { WordLog } from "./byte-log.ts";
import { FieldLengthsWriter } from "./field-lengths/writer.ts";
import { FieldSets } from "./fields/writer.ts";
import { mergeForward } from "./forward/merge.ts";
import type { Part } from "./parts.ts";
import { PostingsWriter } from "./postings/writer.ts";
import type { SegmentReader } from "./reader.ts";
import type { RowPlan } from "./row-plan.ts";
import { TermMerger } from "./term-merger.ts";
import { TermsWriter } from "./terms/writer.ts";

export function mergedTextParts(readers: readonly SegmentReader[], plan: RowPlan): Part[] {
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

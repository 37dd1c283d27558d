/** The words of several segments as those of one: terms in byte order, occurrences renumbered, lengths of fields. */
import { Source } from "../../base/kernels/merge/generated/layout.ts";
import { WordLog } from "./byte-log.ts";
import { commonPrefixParts } from "./common-prefixes/writer.ts";
import { FieldLengthsWriter } from "./field-lengths/writer.ts";
import { fieldsPart, finalIdsOf, usedIn } from "./fields/writer.ts";
import { bytesVector, flatPart, wordsVector } from "./flat-table.ts";
import { NARROW, NARROW_TAIL_BYTES, wordFormOf } from "./forward/format.ts";
import { ForwardPart } from "./generated/forward-part.ts";
import { PositionsPart } from "./generated/positions-part.ts";
import { PostingsPart } from "./generated/postings-part.ts";
import { TermsPart } from "./generated/terms-part.ts";
import { listOf, placesOf } from "./handed-over.ts";
import type { MergeMemory } from "./merge-memory.ts";
import { PART, type Part } from "./parts.ts";
import { POSTINGS_TAIL_BYTES } from "./postings/format.ts";
import type { SegmentReader } from "./reader.ts";
import type { RowPlan } from "./row-plan.ts";
import { prefixSlots } from "./terms/prefixes.ts";

/** Text, entries, postings and positions leave in pieces. */
const OUTPUTS = 4;

export function mergedTextParts(memory: MergeMemory, readers: readonly SegmentReader[], plan: RowPlan): Part[] {
  const names = [...new Set(readers.flatMap((reader) => reader.fields))].sort((a, b) => (a < b ? -1 : 1));
  const ids = new Map(names.map((name, id) => [name, id]));
  const fieldMaps = readers.map((reader) => Uint16Array.from(reader.fields, (name) => ids.get(name)!));
  const sources = layOut(memory, readers, plan, fieldMaps);
  const { kernels } = memory;
  kernels.open(sources, readers.length, names.length, plan.rows);
  const [text, entries, postings, positions] = mergedTerms(memory);
  const sets = {
    offsets: listOf(memory, (out) => kernels.setsList(false, out)),
    members: listOf(memory, (out) => kernels.setsList(true, out)),
  };
  const used = usedIn(sets.members);
  const fieldLengths = new FieldLengthsWriter(plan.rows);
  for (const field of used) {
    const lengths = mergedFieldLengths(readers, plan, names[field]!);
    fieldLengths.field(lengths, lengths.length);
  }
  const finalIds = finalIdsOf(names.length, used);
  readers.forEach((_, i) => {
    const finalFields = Uint16Array.from(fieldMaps[i]!, (field) => finalIds[field]!);
    sourceAt(memory, sources, i)[Source.finalFields] = memory.addressOf(finalFields);
  });
  const blocks = listOf(memory, (out) => kernels.blockOffsets(out));
  return [
    fieldsPart(plan.rows, names, sets, used),
    fieldLengths.part(),
    flatPart(PART.terms, TermsPart, {
      count: kernels.countTerms(),
      blockOffsets: wordsVector(blocks),
      text: bytesVector(text!),
      entries: bytesVector(entries!),
      ...prefixSlots(memory),
    }),
    flatPart(PART.postings, PostingsPart, {
      bytes: bytesVector([...postings!, new Uint8Array(POSTINGS_TAIL_BYTES)]),
    }),
    flatPart(PART.positions, PositionsPart, { bytes: bytesVector(positions!) }),
    ...mergedForward(memory, readers, plan, sources),
    // They speak of fields by the numbers that these have before some are left out.
    ...(used.length === names.length ? commonPrefixParts(memory) : []),
  ];
}

function sourceAt(memory: MergeMemory, sources: number, i: number): Uint32Array {
  return memory.wordsAt(sources + 4 * Source.WORDS * i, Source.WORDS);
}

/** Tells the kernels where everything is; returns the address of the sources. */
function layOut(
  memory: MergeMemory,
  readers: readonly SegmentReader[],
  plan: RowPlan,
  fieldMaps: readonly Uint16Array[],
): number {
  const sources = memory.kernels.allocate(4 * Source.WORDS * readers.length);
  readers.forEach(({ fieldTable, forward, postings, terms }, i) => {
    const places = {
      [Source.termCount]: terms.count,
      [Source.text]: memory.addressOf(terms.text),
      [Source.entries]: memory.addressOf(terms.entries),
      [Source.postings]: memory.addressOf(postings.postings),
      [Source.positions]: memory.addressOf(postings.positions),
      [Source.setOffsets]: memory.addressOf(fieldTable.setOffsets),
      [Source.setFields]: memory.addressOf(fieldTable.setFields),
      [Source.rowMap]: memory.addressOf(plan.rowMaps[i]!),
      [Source.fieldMap]: memory.addressOf(fieldMaps[i]!),
      [Source.ordinals]: memory.kernels.allocate(4 * terms.count),
      [Source.forwardStarts]: forward === null ? 0 : memory.addressOf(forward.starts),
      [Source.forwardWords]: forward === null ? 0 : memory.addressOf(forward.words),
      [Source.forwardBytes]: forward === null ? 0 : forward.form.bytes,
      [Source.finalFields]: 0,
    };
    const source = sourceAt(memory, sources, i);
    for (const [slot, value] of Object.entries(places)) source[Number(slot)] = value;
  });
  return sources;
}

function mergedTerms(memory: MergeMemory): Uint8Array[][] {
  const { kernels } = memory;
  const outputs: Uint8Array[][] = Array.from({ length: OUTPUTS }, () => []);
  for (let more = true; more; ) {
    more = kernels.mergeTerms() !== 0;
    placesOf(memory, OUTPUTS, (out) => kernels.takeOutputs(out)).forEach(({ start, length }, i) => {
      outputs[i]!.push(memory.bytesAt(start, length).slice());
    });
  }
  return outputs;
}

/** None when an input has none, or there are too many terms together. */
function mergedForward(memory: MergeMemory, readers: readonly SegmentReader[], plan: RowPlan, sources: number): Part[] {
  const { kernels } = memory;
  const form = wordFormOf(kernels.countTerms());
  if (form === null) return [];
  let longest = 0;
  for (const { forward, rows } of readers) {
    if (forward === null) return [];
    longest = Math.max(longest, kernels.longestRow(memory.addressOf(forward.starts), rows));
  }
  const isNarrow = form === NARROW;
  const inputs = memory.addressOf(plan.inputsOf);
  const rows = memory.addressOf(plan.rowsOf);
  const starts = memory.addressOf(new Uint32Array(plan.rows + 1));
  kernels.openForward(sources, isNarrow, longest);
  const words: Uint8Array[] = [];
  for (let row = 0; row < plan.rows; ) {
    row = kernels.mergeForward(inputs, rows, row, plan.rows, starts);
    for (const { start, length } of placesOf(memory, 1, (out) => kernels.takeForward(out))) {
      words.push(memory.bytesAt(start, length).slice());
    }
  }
  const startsVector = wordsVector(memory.copyOfWords(starts, plan.rows + 1));
  const written = isNarrow
    ? { narrow: bytesVector([...words, new Uint8Array(NARROW_TAIL_BYTES)]) }
    : { words: { ...bytesVector(words), elementBytes: 4 } };
  return [flatPart(PART.forward, ForwardPart, { starts: startsVector, ...written })];
}

/** (row << 5 | number of words) of one field, ascending. */
function mergedFieldLengths(readers: readonly SegmentReader[], plan: RowPlan, name: string): Uint32Array {
  const entries = new WordLog();
  readers.forEach((reader, i) => {
    const field = reader.fieldTable.idOf(name);
    if (field < 0) return;
    const rowMap = plan.rowMaps[i]!;
    reader.fieldLengths.forEach(field, (row, wordCount) => {
      const to = rowMap[row]!;
      if (to >= 0) entries.push(to * 32 + wordCount);
    });
  });
  return entries.view().sort();
}

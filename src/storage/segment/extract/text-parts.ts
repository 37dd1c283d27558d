/** Fields, facts, terms, postings, positions and the words of rows in their order, from what the compiled walk gathered. */
import { FieldLengthsWriter } from "../field-lengths/writer.ts";
import { fieldsPart } from "../fields/writer.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { NARROW, narrowSlots, WIDE, wordFormOf } from "../forward/format.ts";
import { PART_FORWARD, PART_POSITIONS, PART_POSTINGS, PART_TERMS, type Part } from "../parts.ts";
import { POSTINGS_TAIL_BYTES } from "../postings/format.ts";
import type { Field } from "./paths.ts";
import type { Workshop } from "./workshop.ts";

/** Text, entries, postings and positions leave in pieces. */
const OUTPUTS = 4;

/** Fields are numbered by name, so that equal contents give equal bytes. */
export function textParts(shop: Workshop, rows: number, met: readonly Field[]): Part[] {
  const { kernels } = shop;
  const fields = met.filter(({ address }) => kernels.fieldId(address) >= 0).sort((a, b) => (a.name < b.name ? -1 : 1));
  const facts = new FieldLengthsWriter(rows);
  for (const { address } of fields) {
    const entries = shop.list((out) => kernels.factsOf(address, out));
    facts.field(entries, entries.length);
  }
  const fieldIds = kernels.allocate(2 * fields.length);
  const { bytes } = shop;
  fields.forEach(({ address }, id) => {
    bytes.writeUInt16LE(id, fieldIds + 2 * kernels.fieldId(address));
  });
  kernels.close(rows, fieldIds, fields.length);
  const [text, entries, postings, positions] = encoded(shop);
  postings!.push(new Uint8Array(POSTINGS_TAIL_BYTES));
  const sets = {
    offsets: shop.list((out) => kernels.setsList(false, out)),
    members: shop.list((out) => kernels.setsList(true, out)),
  };
  const names = fields.map(({ name }) => name);
  const blocks = wordsVector(shop.list((out) => kernels.blockOffsets(out)));
  return [
    fieldsPart(rows, names, sets),
    facts.part(),
    flatPart(PART_TERMS, [kernels.countTerms(), blocks, bytesVector(text!), bytesVector(entries!)]),
    flatPart(PART_POSTINGS, [bytesVector(postings!)]),
    flatPart(PART_POSITIONS, [bytesVector(positions!)]),
    ...forwardParts(shop),
  ];
}

/** None when there are too many terms. */
function forwardParts(shop: Workshop): Part[] {
  const form = wordFormOf(shop.kernels.countTerms());
  if (form === null) return [];
  const { kernels } = shop;
  const starts = shop.list((out) => kernels.forwardList(false, out));
  if (form === WIDE) {
    const words = shop.list((out) => kernels.forwardList(true, out));
    return [flatPart(PART_FORWARD, [wordsVector(starts), wordsVector(words)])];
  }
  const length = NARROW.bytes * kernels.forwardList(true, 0);
  const at = kernels.allocate(length);
  kernels.narrowWords(at);
  return [flatPart(PART_FORWARD, narrowSlots(starts, shop.copyOfBytes(at, length)))];
}

function encoded(shop: Workshop): Uint8Array[][] {
  const { kernels } = shop;
  const outputs: Uint8Array[][] = Array.from({ length: OUTPUTS }, () => []);
  const takenAt = kernels.allocate(8 * OUTPUTS);
  for (let more = true; more; ) {
    more = kernels.encodeTerms() !== 0;
    kernels.takeOutputs(takenAt);
    const taken = shop.words.slice(takenAt / 4, takenAt / 4 + 2 * OUTPUTS);
    outputs.forEach((chunks, i) => {
      if (taken[2 * i + 1]! > 0) chunks.push(shop.copyOfBytes(taken[2 * i]!, taken[2 * i + 1]!));
    });
  }
  return outputs;
}

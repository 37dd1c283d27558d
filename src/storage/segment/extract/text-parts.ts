/** Fields, their lengths, terms, postings, positions and the words of rows in their order, from what the compiled walk gathered. */
import { commonPrefixParts } from "../common-prefixes/writer.ts";
import { FieldLengthsWriter } from "../field-lengths/writer.ts";
import { fieldsPart } from "../fields/writer.ts";
import { flatPart, wordsVector } from "../flat-table.ts";
import { NARROW, NARROW_TAIL_BYTES, WIDE, wordFormOf } from "../forward/format.ts";
import { ForwardPart } from "../generated/forward-part.ts";
import { PositionsPart } from "../generated/positions-part.ts";
import { PostingsPart } from "../generated/postings-part.ts";
import { TermsPart } from "../generated/terms-part.ts";
import { listOf, placesOf } from "../handed-over.ts";
import { PART, type Part } from "../parts.ts";
import { POSTINGS_TAIL_BYTES } from "../postings/format.ts";
import { prefixSlots } from "../terms/prefixes.ts";
import type { Field } from "./paths.ts";
import { Pieces } from "./pieces.ts";
import type { Workshop } from "./workshop.ts";

/** Text, entries, postings and positions leave in pieces. */
const OUTPUTS = 4;

/** Fields are numbered by name, so that equal contents give equal bytes. */
export function textParts(shop: Workshop, rows: number, met: readonly Field[], lends: boolean): Part[] {
  const { kernels } = shop;
  const fields = met.filter(({ address }) => kernels.fieldId(address) >= 0).sort((a, b) => (a.name < b.name ? -1 : 1));
  const fieldLengths = new FieldLengthsWriter(rows);
  for (const { address } of fields) {
    const entries = listOf(shop, (out) => kernels.lengthsOf(address, out));
    fieldLengths.field(entries, entries.length);
  }
  const fieldIds = kernels.allocate(2 * fields.length);
  const { bytes } = shop;
  fields.forEach(({ address }, id) => {
    bytes.writeUInt16LE(id, fieldIds + 2 * kernels.fieldId(address));
  });
  kernels.close(rows, fieldIds, fields.length);
  const [text, entries, postings, positions] = encoded(shop, lends);
  const sets = {
    offsets: listOf(shop, (out) => kernels.setsList(false, out)),
    members: listOf(shop, (out) => kernels.setsList(true, out)),
  };
  const names = fields.map(({ name }) => name);
  const blocks = wordsVector(listOf(shop, (out) => kernels.blockOffsets(out)));
  return [
    fieldsPart(rows, names, sets),
    fieldLengths.part(),
    flatPart(PART.terms, TermsPart, {
      count: kernels.countTerms(),
      blockOffsets: blocks,
      text: text!.vector(),
      entries: entries!.vector(),
      ...prefixSlots(shop),
    }),
    flatPart(PART.postings, PostingsPart, { bytes: postings!.vector(POSTINGS_TAIL_BYTES) }),
    flatPart(PART.positions, PositionsPart, { bytes: positions!.vector() }),
    ...forwardParts(shop, lends),
    ...commonPrefixParts(shop),
  ];
}

/** None when there are too many terms. */
function forwardParts(shop: Workshop, lends: boolean): Part[] {
  const form = wordFormOf(shop.kernels.countTerms());
  if (form === null) return [];
  const { kernels } = shop;
  const starts = listOf(shop, (out) => kernels.forwardList(false, out));
  if (form === WIDE) {
    const words = listOf(shop, (out) => kernels.forwardList(true, out));
    return [flatPart(PART.forward, ForwardPart, { starts: wordsVector(starts), words: wordsVector(words) })];
  }
  const length = NARROW.bytes * kernels.forwardList(true, 0);
  const at = kernels.allocate(length);
  kernels.narrowWords(at);
  const narrow = new Pieces(shop, lends);
  narrow.take(at, length);
  const written = { starts: wordsVector(starts), narrow: narrow.vector(NARROW_TAIL_BYTES) };
  return [flatPart(PART.forward, ForwardPart, written)];
}

function encoded(shop: Workshop, lends: boolean): Pieces[] {
  const { kernels } = shop;
  const outputs = Array.from({ length: OUTPUTS }, () => new Pieces(shop, lends));
  for (let more = true; more; ) {
    more = kernels.encodeTerms() !== 0;
    placesOf(shop, OUTPUTS, (out) => kernels.takeOutputs(out)).forEach(({ start, length }, i) => {
      outputs[i]!.take(start, length);
    });
  }
  return outputs;
}

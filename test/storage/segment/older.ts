/** Segments as older versions wrote them, or as they are with very many terms or occurrences. */

import { ForwardReader } from "../../../src/storage/segment/forward/reader.ts";
import { type BuiltSegment, PART, type Part } from "../../../src/storage/segment/parts.ts";
import { mergeRows } from "../../../src/storage/segment/row-plan.ts";
import { commonPrefixPart } from "./oracle/common-prefixes.ts";
import { mergeForward } from "./oracle/forward-merge.ts";
import { open, write } from "./support.ts";

export type Aging = (segment: BuiltSegment) => BuiltSegment;

/** So many terms that three bytes are too few for a word. */
const MANY_TERMS = 0x1f_c000;
/** More than tests have of either. */
const NUMBERS = 0x1_0000;

export function asItIs(segment: BuiltSegment): BuiltSegment {
  return segment;
}

export function withoutForward(segment: BuiltSegment): BuiltSegment {
  return { ...segment, parts: segment.parts.filter(({ kind }) => kind !== PART.forward) };
}

/** Words of four bytes instead of three. */
export function withWideForward(segment: BuiltSegment): BuiltSegment {
  const docids = Uint32Array.from({ length: segment.rows }, (_, row) => row);
  const plan = mergeRows([{ reader: { rows: segment.rows, docids }, live: null }]);
  const ordinals = Uint32Array.from({ length: NUMBERS }, (_, i) => i);
  const fields = Uint16Array.from(ordinals);
  const widened = (part: Part): Part[] => {
    if (part.kind !== PART.forward) return [part];
    const reader = new ForwardReader(new Uint8Array(Buffer.concat([...part.chunks])));
    return mergeForward([{ reader, ordinals, fields }], MANY_TERMS, plan);
  };
  return { ...segment, parts: segment.parts.flatMap(widened) };
}

/** Telling the rows of all short prefixes, however few have them. */
export function withCommonPrefixes(segment: BuiltSegment): BuiltSegment {
  const parts = segment.parts.map(({ chunks, kind }): Part => ({ kind, chunks: [Buffer.concat([...chunks])] }));
  const reader = open(write({ ...segment, parts }));
  const told = commonPrefixPart(reader, 1);
  reader.close();
  return { ...segment, parts: [...parts, ...told] };
}

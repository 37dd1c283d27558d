/**
 * The kinds of parts a segment is made of and the shape in which builders hand them over.
 * Numbers are on disk: never reuse one.
 */

/** By what they hold; messages name them so. */
export const PART = {
  documents: 1,
  documentIndex: 2,
  ids: 3,
  fields: 4,
  fieldLengths: 5,
  terms: 6,
  postings: 7,
  positions: 8,
  columns: 9,
  geo: 10,
  geojson: 11,
  fieldSets: 12,
  vectors: 13,
  origins: 14,
  graphs: 15,
  bitCodes: 16,
  forward: 17,
  commonPrefixes: 18,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(PART).map(([name, kind]) => [kind, name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)]),
);

/** `6 (terms)`; a number alone for a part of a later version. */
export function partName(kind: number): string {
  const name = NAMES.get(kind);
  return name === undefined ? `${kind}` : `${kind} (${name})`;
}

/**
 * One part on its way to a file: its bytes in order. Pieces may be made while they are taken, so they are taken once,
 * and each is valid only until the next.
 */
export interface Part {
  kind: number;
  chunks: Iterable<Uint8Array>;
}

/** A part that is wholly in memory. */
export interface BuiltPart extends Part {
  chunks: Uint8Array[];
}

/** A segment that is complete but not yet a file. */
export interface BuiltSegment {
  rows: number;
  /** Size of the document bodies. */
  documentBytes: number;
  parts: Part[];
}

/**
 * The kinds of parts a segment is made of and the shape in which builders hand them over.
 * Numbers are on disk: never reuse one.
 */

export const PART_DOCUMENTS = 1;
export const PART_DOCUMENT_INDEX = 2;
export const PART_IDS = 3;
export const PART_FIELDS = 4;
export const PART_FIELD_LENGTHS = 5;
export const PART_TERMS = 6;
export const PART_POSTINGS = 7;
export const PART_POSITIONS = 8;
export const PART_COLUMNS = 9;
export const PART_GEO = 10;
export const PART_GEOJSON = 11;
export const PART_SHAPES = 12;
export const PART_VECTORS = 13;
export const PART_ORIGINS = 14;
export const PART_GRAPHS = 15;
export const PART_SKETCHES = 16;
export const PART_FORWARD = 17;

/** What messages call them. */
const NAMES: Readonly<Record<number, string>> = {
  [PART_DOCUMENTS]: "documents",
  [PART_DOCUMENT_INDEX]: "document index",
  [PART_IDS]: "ids",
  [PART_FIELDS]: "fields",
  [PART_FIELD_LENGTHS]: "field lengths",
  [PART_TERMS]: "terms",
  [PART_POSTINGS]: "postings",
  [PART_POSITIONS]: "positions",
  [PART_COLUMNS]: "columns",
  [PART_GEO]: "geo",
  [PART_GEOJSON]: "geojson",
  [PART_SHAPES]: "field sets",
  [PART_VECTORS]: "vectors",
  [PART_ORIGINS]: "origins",
  [PART_GRAPHS]: "graphs",
  [PART_SKETCHES]: "bit codes",
  [PART_FORWARD]: "forward",
};

/** `6 (terms)`; a number alone for a part of a later version. */
export function partName(kind: number): string {
  const name = NAMES[kind];
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

/**
 * The parts of a segment in the order in which they stand in its file, an entry for each or for those that are made
 * together: from documents that were walked, and from segments that are merged. Both must give the same bytes.
 */
import { GrowingIds } from "../../base/document/id-list.ts";
import { mergeColumns } from "./columns/merge.ts";
import { documentParts, type StoredBodies } from "./documents/writer.ts";
import type { FieldSetsWriter } from "./field-sets/writer.ts";
import { mergeGeo } from "./geo/points.ts";
import { type GeoPartsBuilder, geoParts } from "./geo-parts.ts";
import { mergeGeoJson } from "./geojson/shapes.ts";
import { idsPart, type StoredIds, storedIds } from "./ids/writer.ts";
import type { MergeMemory } from "./merge-memory.ts";
import { mergedTextParts } from "./merged-text.ts";
import { PART, type Part } from "./parts.ts";
import type { SegmentReader } from "./reader.ts";
import type { RowPlan } from "./row-plan.ts";
import type { MadeVectors } from "./vectors/made.ts";
import { mergeVectors } from "./vectors/merge.ts";
import { mergeOrigins, originParts } from "./vectors/origins.ts";
import type { VectorsBuilder } from "./vectors/writer.ts";

/** What a walk over documents has gathered. */
interface Gathered {
  rows: number;
  docids: Uint32Array;
  ids: StoredIds;
  bodies: StoredBodies;
  /** Words and columns. */
  texts: Part[];
  places: GeoPartsBuilder;
  fieldSets: FieldSetsWriter;
  vectors: VectorsBuilder;
  made: readonly MadeVectors[];
}

/** What a merge begins with. */
interface Merging {
  memory: MergeMemory;
  readers: readonly SegmentReader[];
  plan: RowPlan;
  bodies: StoredBodies;
  fieldSets: FieldSetsWriter;
}

interface PartEntry {
  build(gathered: Gathered): Part[];
  merge(merging: Merging): Part[];
}

const MADE_PARTS: readonly PartEntry[] = [
  // Documents and where each of them is.
  {
    build: ({ bodies }) => documentParts(bodies),
    merge: ({ bodies }) => documentParts(bodies),
  },
  // Ids.
  {
    build: ({ docids, ids }) => [idsPart(docids, ids)],
    merge: ({ readers, plan }) => [idsPart(plan.docids, mergedIds(readers, plan))],
  },
  // Words and columns.
  {
    build: ({ texts }) => texts,
    merge: ({ memory, readers, plan }) => [
      ...mergedTextParts(memory, readers, plan),
      {
        kind: PART.columns,
        chunks: [
          mergeColumns(
            mapped(readers, plan, (reader) => reader.columns),
            plan.rows,
          ),
        ],
      },
    ],
  },
  // Points and shapes on the globe.
  {
    build: ({ places }) => places.parts(),
    merge: ({ readers, plan }) =>
      geoParts(
        mergeGeo(
          mapped(readers, plan, (reader) => reader.geo),
          plan.rows,
        ),
        mergeGeoJson(
          mapped(readers, plan, (reader) => reader.geojson),
          plan.rows,
        ),
      ),
  },
  // Which fields rows have.
  {
    build: ({ fieldSets }) => [fieldSets.part()],
    merge: ({ fieldSets }) => [fieldSets.part()],
  },
  // Vectors; graphs and bit codes of them are made later, from the segment.
  {
    build: ({ vectors }) => vectors.parts(),
    merge: ({ readers, plan }) =>
      mergeVectors(
        readers.map((reader) => reader.vectors),
        plan,
      ),
  },
  // What vectors were made from.
  {
    build: ({ rows, made }) => originParts(rows, made),
    merge: ({ readers, plan }) =>
      mergeOrigins(
        readers.map((reader) => reader.origins),
        plan,
      ),
  },
];

export function builtParts(gathered: Gathered): Part[] {
  return MADE_PARTS.flatMap((entry) => entry.build(gathered));
}

export function mergedParts(merging: Merging): Part[] {
  return MADE_PARTS.flatMap((entry) => entry.merge(merging));
}

/** A part of every segment, with where its rows go. */
function mapped<T>(readers: readonly SegmentReader[], { rowMaps }: RowPlan, part: (reader: SegmentReader) => T) {
  return readers.map((reader, i) => ({ reader: part(reader), rowMap: rowMaps[i]! }));
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

/**
 * What helper threads can do: one entry per kind of job, in `Jobs` with what goes in and what comes out, in `jobs` with
 * the function. Jobs are pure work on immutable inputs and files nobody else uses; they never touch the store or shared
 * state. Inputs and outputs are copied between threads.
 */
import { readFileSync } from "node:fs";
import type { PayloadFormat } from "../../base/payload/prepare.ts";
import { type SegmentSummary, verifySegment } from "../../storage/segment/container.ts";
import { type GraphWork, growGraph } from "../../storage/segment/vectors/graph-builder.ts";
import { assignCells, type CellWork, moveCentres, type Stretch } from "../../storage/segment/vectors/ivf.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { checkStoreFile } from "../../storage/store/file/check.ts";
import { buildLot, type LotInput } from "../build/lot.ts";
import { type Survey, type SurveyInput, surveyDocuments } from "../build/survey.ts";
import { hnswlib } from "./hnswlib.ts";
import {
  type PayloadFileScan,
  payloadFileLines,
  prepareIdsFile,
  preparePayloadFile,
  scanPayloadFile,
} from "./payload-files.ts";
import { mergeSegmentFiles, rebuildSegmentFile, type SegmentFile } from "./segment-files.ts";
import { addVectorParts, graphByHnswlib, prepareCellsOf, prepareGraphOf, type VectorParts } from "./vector-parts.ts";

interface Jobs {
  /** Nothing: that a thread runs it is what matters. */
  "helper.start": { input: null; output: null };
  /** Checks a body and writes the encoded payload to `path`, durably. Rejects with `malformed_payload`. */
  "payload.prepareFile": {
    /** `body`: null for what lies in `path`. */
    input: { path: string; body: Uint8Array | null; format: PayloadFormat; delimiter: number };
    output: { documents: number; bytes: number };
  };
  /** Checks a body that lists ids and writes them to `path`, durably. Rejects with what is wrong with it. */
  "payload.prepareIds": { input: { path: string; body: Uint8Array }; output: { ids: number; bytes: number } };
  /** The documents of a payload file, a line each; null where there is no file. */
  "payload.lines": { input: { path: string }; output: Uint8Array | null };
  /** What `scanPayload` finds in a payload file, and where its documents lie. */
  "payload.scan": { input: { path: string; primaryKey: string | null }; output: PayloadFileScan };
  /** What of documents must be embedded. Rejects when a template cannot be rendered. */
  "documents.survey": { input: SurveyInput; output: Survey[] };
  "segment.build": { input: LotInput; output: SegmentSummary };
  /** One segment from the living rows of several. */
  "segment.merge": { input: { inputs: SegmentFile[]; output: string }; output: SegmentSummary };
  /** The living rows of a segment, indexed anew by other settings. */
  "segment.rebuild": { input: SegmentFile & { settings: Settings; output: string }; output: SegmentSummary };
  /** Cells of the vectors of one embedder: laid out, and found in rounds of stretches. */
  "cells.prepare": { input: { path: string; embedder: string }; output: CellWork };
  "cells.assign": { input: { work: CellWork; stretch: Stretch; lane: number }; output: null };
  "cells.move": { input: { work: CellWork; step: number }; output: null };
  /** A graph of them: laid out, and grown by some vectors; tells how many are left. */
  "graph.prepare": { input: { path: string; embedder: string }; output: GraphWork };
  "graph.grow": { input: { work: GraphWork; count: number }; output: number };
  /** The same by another builder, whole. Rejects where it is not installed. */
  "graph.byHnswlib": { input: { path: string; embedder: string }; output: Uint32Array };
  /** A copy of the file with what was made. */
  "segment.addVectorParts": {
    input: { path: string; output: string; made: VectorParts; documentBytes: number };
    output: SegmentSummary;
  };
  /** What is wrong with the bodies in a segment file; null when nothing is. */
  "segment.verifyBodies": { input: { path: string }; output: string | null };
  /** Rejects unless the file of a store, which nobody has open, is whole. */
  "store.check": { input: { path: string }; output: null };
}

export type JobKind = keyof Jobs;
export type JobInput<K extends JobKind> = Jobs[K]["input"];
export type JobOutput<K extends JobKind> = Jobs[K]["output"];

type Job<K extends JobKind> = (input: JobInput<K>) => JobOutput<K> | Promise<JobOutput<K>>;

export const jobs: { readonly [K in JobKind]: Job<K> } = {
  "helper.start": () => null,
  "payload.prepareFile": ({ path, body, format, delimiter }) =>
    preparePayloadFile(path, body ?? readFileSync(path), format, delimiter),
  "payload.prepareIds": ({ path, body }) => prepareIdsFile(path, body),
  "payload.lines": ({ path }) => payloadFileLines(path),
  "payload.scan": ({ path, primaryKey }) => scanPayloadFile(path, primaryKey),
  "documents.survey": surveyDocuments,
  "segment.build": buildLot,
  "segment.merge": ({ inputs, output }) => mergeSegmentFiles(inputs, output),
  "segment.rebuild": ({ settings, output, ...input }) => rebuildSegmentFile(input, settings, output),
  "cells.prepare": ({ path, embedder }) => prepareCellsOf(path, embedder),
  "cells.assign": ({ work, stretch, lane }) => {
    assignCells(work, stretch, lane);
    return null;
  },
  "cells.move": ({ work, step }) => {
    moveCentres(work, step);
    return null;
  },
  "graph.prepare": ({ path, embedder }) => prepareGraphOf(path, embedder),
  "graph.grow": ({ work, count }) => growGraph(work, count),
  "graph.byHnswlib": ({ path, embedder }) => {
    const Index = hnswlib();
    if (Index === null) throw new Error("hnswlib-node was not compiled");
    return graphByHnswlib(Index, path, embedder);
  },
  "segment.addVectorParts": ({ path, output, made, documentBytes }) =>
    addVectorParts(path, output, made, documentBytes),
  "segment.verifyBodies": ({ path }) => verifySegment(path, "bodies"),
  "store.check": ({ path }) => {
    checkStoreFile(path);
    return null;
  },
};

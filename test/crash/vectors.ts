/**
 * Kills a server at random moments while it makes cells or graphs of vectors and checks, after every restart, that no document
 * and no vector is lost, that searches by meaning are right, and that all that is on disk is whole.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import type { VectorParts } from "../../src/engine/helper/vector-parts.ts";
import { Deadline } from "../../src/engine/query/deadline.ts";
import { vectorsIn } from "../../src/engine/semantic/search.ts";
import type { Way } from "../../src/engine/vector/cost-model.ts";
import { SegmentSearch, type SegmentVectors } from "../../src/engine/vector/segment-search.ts";
import { VectorTarget } from "../../src/engine/vector/target.ts";
import { Bitmap } from "../../src/storage/segment/bitmap.ts";
import { readHotParts, verifySegment } from "../../src/storage/segment/container.ts";
import { SegmentReader } from "../../src/storage/segment/reader.ts";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { randomFrom } from "./mixed-writes.ts";

const DOCUMENTS = 3000;
const DIMENSIONS = 64;
/** Documents written anew in every cycle, so that there is always something to make. */
const REWRITTEN = 1200;
/** It is begun so long after the segment came to be, and takes about as long as the second number says. */
const BEGUN_MS = 1400;
const BUILDING_MS = 1600;
const LOOKS = 20;
const CUTOFF_MS = 120_000;
const RECALL_MIN = 0.9;

interface VectorCrashReport {
  cycles: number;
  /** Restarts after which they were there as a whole, and those after which they were still to be made. */
  whole: number;
  unfinished: number;
}

export async function vectorCrashCycles(
  kind: keyof VectorParts,
  cycles: number,
  seed: number,
  say: (text: string) => void,
): Promise<VectorCrashReport> {
  const random = randomFrom(seed);
  const directory = temporaryDirectory();
  const args = [`--vector-${kind}-from`, "500", "--readers", "1"];
  const vectors = new Map<number, number[]>();
  const report: VectorCrashReport = { cycles: 0, whole: 0, unfinished: 0 };
  const draw = (): number[] => Array.from({ length: DIMENSIONS }, () => Math.fround(random() - 0.5));
  const write = (server: TestServer, ids: readonly number[]) => {
    for (const id of ids) vectors.set(id, draw());
    return server.write(
      "POST",
      "/indexes/things/documents",
      ids.map((id) => ({ id, _vectors: { e: vectors.get(id) } })),
    );
  };
  let server = await TestServer.start({ directory, args });
  await server.write("POST", "/indexes", { uid: "things", primaryKey: "id" });
  const embedders = { e: { source: "userProvided", dimensions: DIMENSIONS } };
  // On a machine that is busy with other things a search may be cut off, and finds less then.
  await server.write("PATCH", "/indexes/things/settings", { embedders, searchCutoffMs: CUTOFF_MS });
  await write(
    server,
    Array.from({ length: DOCUMENTS }, (_, id) => id),
  );
  for (let cycle = 0; cycle < cycles; cycle++) {
    const first = Math.floor(random() * DOCUMENTS);
    await write(
      server,
      Array.from({ length: REWRITTEN }, (_, i) => (first + i) % DOCUMENTS),
    );
    await new Promise((resume) => setTimeout(resume, BEGUN_MS + random() * BUILDING_MS));
    await server.kill();
    const { whole, unfinished } = checkFiles(kind, path.join(directory, "db"), cycle);
    report.whole += whole;
    report.unfinished += unfinished;
    server = await TestServer.start({ directory, args });
    await compare(server, vectors, cycle);
    await searchAll(server, vectors, draw(), cycle);
    report.cycles++;
    if (cycle % 10 === 9) say(`${cycle + 1} of ${cycles} cycles: ${JSON.stringify(report)}`);
  }
  assert.equal(await server.stop(), 0);
  await server.dispose();
  return report;
}

/** Documents and their vectors are those that were written last. */
async function compare(server: TestServer, vectors: Map<number, number[]>, cycle: number): Promise<void> {
  interface Stored {
    id: number;
    _vectors: { e: { embeddings: number[][] } };
  }
  const path = `/indexes/things/documents?limit=${2 * DOCUMENTS}&retrieveVectors=true`;
  const { body } = await server.request<{ results: Stored[] }>("GET", path);
  assert.equal(body.results.length, vectors.size, `cycle ${cycle}: documents`);
  for (const { id, _vectors } of body.results) {
    assert.deepEqual(_vectors.e.embeddings, [vectors.get(id)], `cycle ${cycle}: vector of ${id}`);
  }
}

async function searchAll(
  server: TestServer,
  vectors: Map<number, number[]>,
  target: number[],
  cycle: number,
): Promise<void> {
  const request = { vector: target, hybrid: { embedder: "e", semanticRatio: 1 }, limit: 10 };
  const { body } = await server.request<{ hits: { id: number }[] }>("POST", "/indexes/things/search", request);
  assert.deepEqual(new Set(body.hits.map(({ id }) => id)), nearestTo(vectors, target), `cycle ${cycle}: search`);
}

function nearestTo(vectors: Map<number, number[]>, target: readonly number[]): Set<number> {
  const scored = [...vectors].map(([id, own]) => {
    const dot = own.reduce((sum, number, i) => sum + number * target[i]!, 0);
    return { id, similarity: dot / Math.hypot(...own) };
  });
  scored.sort((a, b) => b.similarity - a.similarity);
  return new Set(scored.slice(0, 10).map(({ id }) => id));
}

/** What the killed process left. A copy that was being written may be cut off: no manifest names it. */
function checkFiles(kind: keyof VectorParts, database: string, cycle: number): { whole: number; unfinished: number } {
  const left = { whole: 0, unfinished: 0 };
  for (const file of readdirSync(database, { recursive: true, encoding: "utf8" })) {
    const full = path.join(database, file);
    if (!file.endsWith(".seg") || verifySegment(full) !== null) continue;
    const reader = new SegmentReader(readHotParts(full), full);
    const segment = vectorsIn(reader, "e");
    const made = kind === "cells" ? segment?.sketches?.cells : segment?.graph;
    if (segment !== null && made) {
      left.whole++;
      checkLooks(segment, kind === "cells" ? "sketches" : "walk", cycle);
    } else if (segment !== null && segment.vectors.count >= 500) left.unfinished++;
    reader.close();
  }
  return left;
}

/** Vectors are found by what was made. */
function checkLooks(segment: SegmentVectors, way: Way, cycle: number): void {
  const rows = Bitmap.full(segment.reader.rows);
  let found = 0;
  for (let i = 0; i < LOOKS; i++) {
    const own = Math.floor((i * segment.vectors.count) / LOOKS);
    const target = new VectorTarget(Array.from(segment.vectors.vector(own)));
    const { slots } = new SegmentSearch(segment, target, () => way).nearest(
      rows,
      1,
      new Deadline(Number.POSITIVE_INFINITY),
    );
    if (slots[0] === segment.vectors.slotOfVector(own)) found++;
  }
  assert.ok(found / LOOKS >= RECALL_MIN, `cycle ${cycle}: ${way} finds ${found} of ${LOOKS}`);
}

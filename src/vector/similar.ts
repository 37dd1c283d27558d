/**
 * Documents like a given one: those whose vectors are nearest to its own. The first vector of a document is compared
 * with first vectors only, the second with second ones, and so on.
 */
import type { IndexView } from "../index/view.ts";
import type { RankedHit } from "../rank/result.ts";
import { countOf, type RowSets } from "../rank/row-sets.ts";
import { nearest } from "./nearest.ts";
import { distributionOf, vectorsOf } from "./search.ts";
import { similarityOf, VectorTarget } from "./target.ts";

export interface SimilarRequest {
  embedder: string;
  offset: number;
  limit: number;
  rankingScoreThreshold: number | null;
}

export interface SimilarResult {
  /** Of the page. */
  hits: RankedHit[];
  /** Documents that count as similar. */
  candidates: number;
}

/** `universe`: rows by segment that may be shown; the document itself is not among them. */
export function findSimilar(
  view: IndexView,
  document: { segment: number; row: number },
  universe: RowSets,
  request: SimilarRequest,
): SimilarResult {
  const { offset, limit, rankingScoreThreshold: threshold } = request;
  const distribution = distributionOf(view.settings, request.embedder);
  const hits: RankedHit[] = [];
  const seen = new Set<number>();
  for (const neighbour of neighbours(view, document, universe, request)) {
    if (hits.length === limit) break;
    if (seen.has(neighbour.docid)) continue;
    const similarity = similarityOf(neighbour.distance, distribution);
    if (seen.size >= offset) {
      if (threshold !== null && similarity < threshold) return { hits, candidates: seen.size };
      const { segment, row, docid, target, value } = neighbour;
      hits.push({ segment, row, docid, details: [{ kind: "vector", target, value, similarity }] });
    }
    seen.add(neighbour.docid);
  }
  return { hits, candidates: countOf(universe) };
}

interface Neighbour {
  segment: number;
  row: number;
  docid: number;
  distance: number;
  target: ArrayLike<number>;
  value: Float32Array;
}

/** Nearest first; a document may come once for each of its vectors. */
function neighbours(
  view: IndexView,
  document: { segment: number; row: number },
  universe: RowSets,
  { embedder, offset, limit }: SimilarRequest,
): Neighbour[] {
  const vectors = vectorsOf(view, embedder);
  const own = vectors[document.segment] ?? null;
  const slot = own === null ? -1 : own.slotOf(document.row);
  if (own === null || slot === -1) return [];
  const found: Neighbour[] = [];
  const first = own.starts[slot]!;
  for (let place = 0; first + place < own.starts[slot + 1]!; place++) {
    const target = new VectorTarget(own.vector(first + place));
    found.push(...nearestAt(view, universe, embedder, target, place, offset + limit + 1));
  }
  return found.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
}

/** The nearest among the vectors that are the `place`-th of their document. */
function nearestAt(
  view: IndexView,
  universe: RowSets,
  embedder: string,
  target: VectorTarget,
  place: number,
  wanted: number,
): Neighbour[] {
  const vectors = vectorsOf(view, embedder);
  const most = countOf(universe);
  const docids = new Uint32Array(most);
  const distances = new Float32Array(most);
  const segments = new Uint32Array(most);
  const rows = new Uint32Array(most);
  const indexes = new Uint32Array(most);
  let count = 0;
  for (const [segment, { reader }] of view.segments.entries()) {
    const list = vectors[segment] ?? null;
    list?.forEach(universe[segment]!, (slot, row) => {
      const index = list.starts[slot]! + place;
      if (index >= list.starts[slot + 1]!) return;
      docids[count] = reader.docids[row]!;
      distances[count] = target.distance(list, index);
      segments[count] = segment;
      rows[count] = row;
      indexes[count] = index;
      count++;
    });
  }
  const positions = Uint32Array.from({ length: count }, (_, i) => i);
  return Array.from(nearest(positions, distances, docids, wanted), (i) => ({
    segment: segments[i]!,
    row: rows[i]!,
    docid: docids[i]!,
    distance: distances[i]!,
    target: target.numbers,
    value: vectors[segments[i]!]!.vector(indexes[i]!),
  }));
}

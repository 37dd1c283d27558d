/**
 * Documents like a given one: those that have a vector near one of its own. Where documents have several vectors, all are
 * compared with all, and the nearest two count.
 */
import type { IndexView } from "../../storage/index/view.ts";
import { Deadline } from "../query/deadline.ts";
import { countOf, type RowSets } from "../query/row-sets.ts";
import type { RankedHit } from "../rank/result.ts";
import { type Neighbour, Neighbours } from "../vector/neighbours.ts";
import { similarityOf, VectorTarget } from "../vector/target.ts";
import { distributionOf, vectorsOf } from "./search.ts";

interface SimilarRequest {
  embedder: string;
  offset: number;
  limit: number;
  rankingScoreThreshold: number | null;
}

interface SimilarResult {
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

/** A neighbour of one of the document's vectors. */
interface Similar extends Neighbour {
  target: ArrayLike<number>;
  value: Float32Array;
}

/** Nearest first; a document may come once for each of its vectors. */
function neighbours(
  view: IndexView,
  document: { segment: number; row: number },
  universe: RowSets,
  { embedder, offset, limit }: SimilarRequest,
): Similar[] {
  const segments = vectorsOf(view, embedder);
  const own = segments[document.segment]?.vectors ?? null;
  const slot = own === null ? -1 : own.slotOf(document.row);
  if (own === null || slot === -1) return [];
  const found: Similar[] = [];
  const clock = new Deadline(Number.POSITIVE_INFINITY);
  for (let vector = own.starts[slot]!; vector < own.starts[slot + 1]!; vector++) {
    const target = new VectorTarget(own.vector(vector));
    const search = new Neighbours(segments, target);
    for (const neighbour of search.nearest(universe, offset + limit + 1, clock)) {
      found.push({ ...neighbour, target: target.numbers, value: search.vector(neighbour) });
    }
  }
  return found.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
}

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
  const { candidates, hits } = similarPage(view, neighbours(view, document, universe, request), request);
  return { hits, candidates: candidates ?? countOf(universe) };
}

type Placed = Pick<Similar, "segment" | "row" | "docid" | "distance" | "target"> & { value: ArrayLike<number> };

/** `near`: nearest first. No candidates where all documents that may be shown are. */
export function similarPage(
  { settings }: Pick<IndexView, "settings">,
  near: readonly Placed[],
  request: SimilarRequest,
): { hits: RankedHit[]; candidates: number | null } {
  const { offset, limit, rankingScoreThreshold: threshold } = request;
  const distribution = distributionOf(settings, request.embedder);
  const hits: RankedHit[] = [];
  const seen = new Set<number>();
  for (const neighbour of near) {
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
  return { hits, candidates: null };
}

/** A neighbour of a vector. */
interface Near extends Neighbour {
  value: Float32Array;
}

interface Similar extends Near {
  target: ArrayLike<number>;
}

/** Nearest first; a document may come once for each of its vectors. */
function neighbours(
  view: IndexView,
  document: { segment: number; row: number },
  universe: RowSets,
  { embedder, offset, limit }: SimilarRequest,
): Similar[] {
  const found = vectorsOfDocument(view, document, embedder).flatMap((target) =>
    nearestTo(view, target, universe, embedder, offset + limit + 1).map((near) => ({ ...near, target })),
  );
  return found.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
}

export function vectorsOfDocument(
  view: IndexView,
  { segment, row }: { segment: number; row: number },
  embedder: string,
): ArrayLike<number>[] {
  const own = vectorsOf(view, embedder)[segment]?.vectors ?? null;
  const slot = own === null ? -1 : own.slotOf(row);
  if (own === null || slot === -1) return [];
  const count = own.starts[slot + 1]! - own.starts[slot]!;
  return Array.from({ length: count }, (_, i) => own.vector(own.starts[slot]! + i));
}

/** So many at most. */
export function nearestTo(
  view: IndexView,
  vector: ArrayLike<number>,
  universe: RowSets,
  embedder: string,
  most: number,
): Near[] {
  const search = new Neighbours(vectorsOf(view, embedder), new VectorTarget(vector));
  const found = search.nearest(universe, most, new Deadline(Number.POSITIVE_INFINITY));
  return found.map((neighbour) => ({ ...neighbour, value: search.vector(neighbour) }));
}

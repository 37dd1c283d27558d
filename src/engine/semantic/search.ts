/** Searches by meaning, alone or together with words, over documents that passed the filter. */
import { openAiModel } from "../../base/contract/embedders.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { bitCodesIn } from "../../storage/segment/vectors/bit-codes.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankedHit, RankResult } from "../rank/result.ts";
import { rankSearch } from "../rank/search.ts";
import type { SegmentVectors } from "../vector/segment-search.ts";
import { type Distribution, VectorTarget } from "../vector/target.ts";
import { isGoodEnough, mergeHybrid, sharesOf } from "./hybrid.ts";

/** Vectors of one embedder by segment; null where there are none. */
export function vectorsOf(view: IndexView, embedder: string): (SegmentVectors | null)[] {
  return view.segments.map(({ reader }) => vectorsIn(reader, embedder));
}

export function vectorsIn(reader: SegmentReader, embedder: string): SegmentVectors | null {
  const vectors = reader.vectors?.embedder(embedder) ?? null;
  if (vectors === null) return null;
  return { reader, vectors, graph: reader.graphs?.image(embedder) ?? null, sketches: bitCodesIn(reader, embedder) };
}

/** Null when similarities are shown as they are. */
export function distributionOf({ embedders }: Pick<Settings, "embedders">, embedder: string): Distribution | null {
  const settings = embedders[embedder];
  if (settings === undefined) return null;
  const own = (settings["distribution"] ?? null) as Distribution | null;
  return own ?? openAiModel(settings)?.distribution ?? null;
}

/** Words of the query are not looked at. */
export function rankByMeaning(
  view: IndexView,
  universe: Bitmap[],
  request: KeywordRequest,
  embedder: string,
  vector: readonly number[],
): RankResult {
  return rankSearch(view, universe, { ...request, q: null, ...byVector(view, embedder, vector) });
}

export interface HybridRequest extends KeywordRequest {
  embedder: string;
  semanticRatio: number;
  /** Null when the query could not be embedded: then words decide alone. */
  target: readonly number[] | null;
}

export function rankHybrid(view: IndexView, universe: Bitmap[], request: HybridRequest): RankResult {
  const shares = sharesOf(request.semanticRatio);
  const wanted = request.offset + request.limit;
  const keyword = rankSearch(view, universe, { ...request, wantDetails: true });
  if (request.target === null || isGoodEnough(keyword, wanted, shares)) return keyword;
  const semantic = rankSearch(view, universe, { ...request, ...byVector(view, request.embedder, request.target) });
  const distinct = request.distinct ?? view.settings.distinctAttribute;
  return mergeHybrid(view, keyword, semantic, shares, distinct, wanted);
}

export function byVector(
  view: IndexView,
  embedder: string,
  vector: readonly number[],
): Pick<KeywordRequest, "vector" | "wantDetails"> {
  return {
    vector: {
      target: new VectorTarget(vector),
      distribution: distributionOf(view.settings, embedder),
      vectors: vectorsOf(view, embedder),
    },
    wantDetails: true,
  };
}

/** How many of the hits were found by meaning. */
export function semanticHits(hits: readonly RankedHit[]): number {
  return hits.filter(({ details }) => details.some(({ kind }) => kind === "vector")).length;
}

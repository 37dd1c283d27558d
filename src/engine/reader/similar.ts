/** Documents like a given one: whether the question can be asked, and the answer to it. */

import type { HitsQuery } from "../../base/contract/search.ts";
import { apiError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { formatHits } from "../answer/hits.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { findSimilar } from "../semantic/similar.ts";
import { SearchClock } from "./clock.ts";
import { writeHitsInParts } from "./divided/hits.ts";
import { IndexInParts } from "./divided/index-in-parts.ts";
import { similarInParts } from "./divided/similar.ts";
import { insideIndex, viewOf } from "./search.ts";
import { selectedRows } from "./select.ts";
import type { RequestContext } from "./task.ts";

/** Nothing was searched for, so nothing is marked in the hits. */
const PLAIN_HITS = {
  attributesToCrop: null,
  cropLength: 0,
  cropMarker: "",
  attributesToHighlight: null,
  highlightPreTag: "",
  highlightPostTag: "",
  showMatchesPosition: false,
  sort: null,
  locales: null,
} satisfies Partial<HitsQuery>;

const RANKING = "search > similar ranking";
const FORMATTING = "search > formatting";

export function runSimilar(header: ReaderRequests["similar"], context: RequestContext): Uint8Array {
  const { indexUid, query } = header;
  const clock = new SearchClock(header.call);
  const view = viewOf(indexUid, context);
  if (!Object.hasOwn(view.settings.embedders, query.embedder)) {
    throw apiError("invalid_similar_embedder", `Cannot find embedder with name \`${query.embedder}\`.`);
  }
  return insideIndex(indexUid, () => {
    const index = IndexInParts.of(view, context);
    const out = new ByteSink(16 * 1024);
    out.ascii('{"hits":');
    const candidates =
      index === null ? writeHere(view, header, context, clock, out) : writeInParts(index, header, clock, out);
    const { maxTotalHits } = view.settings.pagination;
    const total = Math.min(candidates, maxTotalHits);
    out.ascii(`,"id":${JSON.stringify(query.id)},"processingTimeMs":${Math.floor(clock.elapsedMs)}`);
    out.ascii(`,"limit":${query.limit},"offset":${query.offset},"estimatedTotalHits":${total}`);
    if (query.showPerformanceDetails) out.utf8(`,"performanceDetails":${JSON.stringify(clock.details())}`);
    if (index !== null && index.errors !== null) out.utf8(`,"remoteErrors":${JSON.stringify(index.errors)}`);
    out.byte(0x7d);
    return out.view();
  });
}

/** Appends the hits; returns how many documents are similar. */
function writeHere(
  view: IndexView,
  { query, tenantFilter }: ReaderRequests["similar"],
  context: RequestContext,
  clock: SearchClock,
  out: ByteSink,
): number {
  const passing = selectedRows(view, query.filter, context.snapshot(), "invalid_similar_filter");
  const visible = selectedRows(view, tenantFilter, context.snapshot(), "invalid_similar_filter");
  const target = liveRow(view, query.id);
  if (target === null || !visible[target.segment]!.has(target.row)) {
    throw apiError("not_found_similar_id", `Document \`${query.id}\` not found.`);
  }
  const universe = passing.map((rows) => rows.copy());
  universe[target.segment]!.clear(target.row);
  const { hits, candidates } = clock.step(RANKING, () => findSimilar(view, target, universe, query));
  clock.step(FORMATTING, () => formatHits(view, hits, { ...PLAIN_HITS, ...query }, null, out));
  return candidates;
}

/** The same. */
function writeInParts(
  index: IndexInParts,
  { query, tenantFilter }: ReaderRequests["similar"],
  clock: SearchClock,
  out: ByteSink,
): number {
  const { hits, candidates } = clock.step(RANKING, () => similarInParts(index, query, tenantFilter));
  clock.step(FORMATTING, () => writeHitsInParts(index, hits, { ...PLAIN_HITS, ...query }, null, null, out));
  return candidates;
}

function liveRow(view: IndexView, id: string): { segment: number; row: number } | null {
  for (let segment = 0; segment < view.segments.length; segment++) {
    const { reader, live } = view.segments[segment]!;
    const row = reader.findRow(id);
    if (row !== -1 && live.has(row)) return { segment, row };
  }
  return null;
}

/** Documents that were found in parts, as the bytes of hits: written where they lie, put together here. */

import type { HitsQuery } from "../../../base/contract/search.ts";
import { ByteSink } from "../../../base/json/bytes.ts";
import type { Hydration } from "../../joins/hydration.ts";
import type { SentHit } from "../../parts/questions.ts";
import type { MatchedQuery } from "../../query/matched.ts";
import type { DividedHit, IndexInParts } from "./index-in-parts.ts";

export interface WantedHit {
  hit: DividedHit;
  /** Further members of the document itself, as JSON text that begins with a comma. */
  members: string;
}

/** In their order; those that have been deleted since are left out. */
export function writtenInParts(
  index: IndexInParts,
  wanted: readonly WantedHit[],
  query: HitsQuery,
  matched: (() => MatchedQuery) | null,
  hydration: Hydration | null,
): Uint8Array[] {
  const withScores = query.showRankingScore || query.showRankingScoreDetails;
  const byPart: SentHit[][] = Array.from({ length: index.count }, () => []);
  for (const { hit, members } of wanted) {
    byPart[hit.segment]!.push({ docid: hit.docid, details: withScores ? hit.details : [], members });
  }
  const sent = sentQuery(query);
  const isMarked =
    query.showMatchesPosition || (query.attributesToCrop ?? query.attributesToHighlight ?? []).length > 0;
  const words = isMarked ? (matched?.() ?? null) : null;
  const { displayedAttributes } = index.view.settings;
  const named = [query.attributesToRetrieve, query.attributesToCrop, query.attributesToHighlight, displayedAttributes];
  const known = index.fieldsBehind(named.flatMap((names) => names ?? []));
  const answers = index.askEach(
    "hits",
    byPart.map((hits) => (hits.length === 0 ? null : { hits, query: sent, matched: words, known })),
  );
  const next = byPart.map(() => 0);
  const pieces = wanted.map(({ hit: { segment } }) => answers[segment]!.pieces[next[segment]!++]!);
  const there = pieces.filter(({ length }) => length > 0);
  return hydration === null ? there : there.map((piece) => hydrated(piece, hydration));
}

/** Appends `[{…},…]`. */
export function writeHitsInParts(
  index: IndexInParts,
  hits: readonly DividedHit[],
  query: HitsQuery,
  matched: (() => MatchedQuery) | null,
  hydration: Hydration | null,
  out: ByteSink,
): void {
  const wanted = hits.map((hit) => ({ hit, members: "" }));
  out.byte(0x5b);
  writeListed(writtenInParts(index, wanted, query, matched, hydration), out);
  out.byte(0x5d);
}

/** With commas between them. */
export function writeListed(pieces: readonly Uint8Array[], out: ByteSink): void {
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) out.byte(0x2c);
    out.bytes(piece);
  }
}

function hydrated(piece: Uint8Array, hydration: Hydration): Uint8Array {
  const out = new ByteSink(piece.length * 2);
  hydration.write(piece, out);
  return out.view();
}

/** That part of a query which decides about it, and nothing more. */
function sentQuery(query: HitsQuery): HitsQuery {
  return {
    attributesToRetrieve: query.attributesToRetrieve,
    retrieveVectors: query.retrieveVectors,
    attributesToCrop: query.attributesToCrop,
    cropLength: query.cropLength,
    cropMarker: query.cropMarker,
    attributesToHighlight: query.attributesToHighlight,
    highlightPreTag: query.highlightPreTag,
    highlightPostTag: query.highlightPostTag,
    showMatchesPosition: query.showMatchesPosition,
    sort: query.sort,
    locales: query.locales,
    showRankingScore: query.showRankingScore,
    showRankingScoreDetails: query.showRankingScoreDetails,
  };
}

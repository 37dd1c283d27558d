/**
 * Ranks an index as one, or in as many parts as `SABRE_SEARCH_PARTS` says: for those who work on parts, to set the answers of a whole
 * server against each other. Answers are the same, only slower, for which they are given time.
 */
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankResult } from "../rank/result.ts";
import { rankSearch } from "../rank/search.ts";
import { partsOf } from "./divide.ts";
import { LocalPart } from "./part.ts";
import { rankInParts } from "./search.ts";

const PARTS = Math.max(1, Math.trunc(Number(process.env["SABRE_SEARCH_PARTS"])) || 1);

export function rank(view: IndexView, universe: Bitmap[], request: KeywordRequest): RankResult {
  if (PARTS === 1) return rankSearch(view, universe, request);
  const patient = { ...request, deadline: Number.POSITIVE_INFINITY };
  return rankInParts(
    view,
    (asked) => partsOf(view, PARTS).map((part) => new LocalPart(part, universe, asked)),
    patient,
  );
}

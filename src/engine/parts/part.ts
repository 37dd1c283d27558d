/** A part of an index that lies in this process: what it knows of words, and its documents in order. */
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Deadline } from "../query/deadline.ts";
import type { Spelling } from "../query/lexicon.ts";
import { parseQuery } from "../query/parse.ts";
import { queryRules } from "../query/rules.ts";
import { type QueryNode, spellingOf } from "../rank/query-nodes.ts";
import type { KeywordRequest } from "../rank/request.ts";
import { rankOfPart } from "../rank/search.ts";
import { PartRun } from "./run.ts";
import type { Report, Script } from "./script.ts";
import { type AgreedWords, type FoundWords, findWords, SharedLexicon, spellingKey, type WordsAsked } from "./words.ts";

/** The same for all parts. */
interface PartSearch {
  request: KeywordRequest;
  /** The fields that are searched; null for all. */
  searched: readonly string[] | null;
  /** Languages the query may be in; null leaves the choice to detection. */
  locales: readonly string[] | null;
  clock: Deadline;
}

export function wordsInPart(view: IndexView, searched: readonly string[] | null, asked: WordsAsked): FoundWords[] {
  const { byAttribute } = queryRules(view);
  return findWords(view, searched === null ? null : new Set(searched), byAttribute, asked);
}

/** Whether the rules do not go into a bucket of one document. */
export function leavesAlone({ rankingScoreThreshold: threshold, wantDetails }: KeywordRequest): boolean {
  return !wantDetails && threshold === null;
}

/** `universe`: rows of the part that pass the filter. `candidates`: by segment, what totals and facets count. */
export function rankPart(
  view: IndexView,
  universe: Bitmap[],
  { clock, locales, request, searched }: PartSearch,
  terms: readonly Spelling[],
  known: readonly AgreedWords[],
  script: Script,
): { report: Report; candidates: Bitmap[] } {
  const { wantDetails: details, wantMatches: looked = true } = request;
  const run = new PartRun(script, { details, looked, buckets: looked && leavesAlone(request) });
  const parsed = parseQuery(request.q ?? "", queryRules(view), locales);
  const byKey = new Map(terms.map((term, i) => [spellingKey(term), known[i]!]));
  const asked = { ...request, wantDetails: true, wantMatches: false, candidates: "own" as const };
  const { candidates, degraded } = rankOfPart(view, universe, asked, clock, {
    searched: searched === null ? null : new Set(searched),
    parsed,
    lexicon: (corpus) => new SharedLexicon(corpus, terms, known, (term) => run.looked(term)),
    knownOf: (node: QueryNode) => {
      const spelling = spellingOf(node);
      return spelling === null ? null : byKey.get(spellingKey(spelling))!;
    },
    agreement: run,
  });
  return { report: { ...run.report, degraded }, candidates };
}

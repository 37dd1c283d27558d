/** What a part of an index is asked, and one that lies in this process. What is said between parts is plain data. */
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Deadline } from "../query/deadline.ts";
import type { Spelling } from "../query/lexicon.ts";
import type { ParsedQuery } from "../query/parse.ts";
import { queryRules } from "../query/rules.ts";
import type { KeywordRequest } from "../rank/request.ts";
import { rankInSteps } from "../rank/search.ts";
import { PartRun } from "./run.ts";
import type { Report, Script } from "./script.ts";
import { type FoundWords, findWords, SharedLexicon, type TermWords } from "./words.ts";

/** The same for all parts. */
export interface Question {
  request: KeywordRequest;
  parsed: ParsedQuery;
  /** The fields that are searched; null for all. */
  searched: ReadonlySet<string> | null;
  clock: Deadline;
}

export interface Part {
  /** What its vocabulary knows of terms. */
  words(terms: readonly Spelling[]): FoundWords[];
  /** Ranks its documents by a script. `known`: what all parts know of the terms. */
  rank(terms: readonly Spelling[], known: readonly TermWords[], script: Script): Report;
  /** By segment of the whole: what totals and facets count, as it was ranked last. */
  readonly candidates: Bitmap[];
}

export class LocalPart implements Part {
  candidates: Bitmap[] = [];
  readonly #view: IndexView;
  readonly #universe: Bitmap[];
  readonly #question: Question;

  /** `universe`: rows of the whole that pass the filter. */
  constructor(view: IndexView, universe: readonly Bitmap[], question: Question) {
    this.#view = view;
    this.#universe = universe.map((rows, segment) => rows.and(view.segments[segment]!.live));
    this.#question = question;
  }

  words(terms: readonly Spelling[]): FoundWords[] {
    const { byAttribute } = queryRules(this.#view);
    return findWords(this.#view, this.#question.searched, byAttribute, terms);
  }

  rank(terms: readonly Spelling[], known: readonly TermWords[], script: Script): Report {
    const { clock, parsed, request, searched } = this.#question;
    const run = new PartRun(script);
    const { candidates, degraded } = rankInSteps(this.#view, this.#universe, { ...request, wantDetails: true }, clock, {
      searched,
      parsed,
      lexicon: (corpus) => new SharedLexicon(corpus, terms, known, (term) => run.looked(term)),
      agreement: run,
    });
    this.candidates = candidates;
    return { ...run.report, degraded };
  }
}

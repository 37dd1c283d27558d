/**
 * A search by words or by meaning: from the query and the documents that pass its filter to documents in order, with what every rule
 * said about them, and the set that totals and facets count.
 */
import { apiError } from "../../base/errors/errors.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Column } from "../../storage/segment/columns/column.ts";
import { filterRuleFor, isDisplayed } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { Corpus } from "../query/corpus.ts";
import { Deadline } from "../query/deadline.ts";
import { type QueryGraph, queryGraph } from "../query/graph.ts";
import { CorpusLexicon, type Lexicon } from "../query/lexicon.ts";
import { matchedQuery } from "../query/matched-query.ts";
import { type ParsedQuery, parseQuery } from "../query/parse.ts";
import { countOf, type RowSets, RowSpaces } from "../query/row-sets.ts";
import { queryRules } from "../query/rules.ts";
import { searchIndexOf } from "../query/search-index.ts";
import { vocabularyOf } from "../query/vocabulary.ts";
import type { Agreement, KeyedAgreement } from "./agreement.ts";
import { BucketSort } from "./bucket-sort.ts";
import type { RankContext, Rule } from "./context.ts";
import { Distinct } from "./distinct.ts";
import { Documents } from "./documents.ts";
import { FieldWeights } from "./field-weights.ts";
import { Host } from "./host.ts";
import { Matches } from "./matches.ts";
import { searchInOneCall } from "./one-call.ts";
import { PartCalls } from "./part-calls.ts";
import type { KnownNode, QueryNode } from "./query-nodes.ts";
import { GraphPaths } from "./reading.ts";
import type { KeywordRequest } from "./request.ts";
import type { RankResult } from "./result.ts";
import { ruleList } from "./rule-list.ts";
import { entryOf, type Ranked, RULES, type RuleKind, type RuleName } from "./rule-table.ts";
import { queryLocales, searchedFields } from "./searched-fields.ts";
import { Strategy } from "./strategy.ts";

/** `universe`: live rows by segment that pass the filter; not changed. Throws an ApiError for what cannot be asked. */
export function rankSearch(
  view: IndexView,
  universe: Bitmap[],
  request: KeywordRequest,
  clock: Deadline = new Deadline(request.deadline),
): RankResult {
  return rankInOneCall(view, universe, request, clock, null) ?? rankInSteps(view, universe, request, clock, null);
}

/** What a part of an index is told of the whole. */
interface RankedPart {
  /** The fields that are searched; null for all. */
  searched: ReadonlySet<string> | null;
  parsed: ParsedQuery;
  lexicon(corpus: Corpus): Lexicon;
  knownOf(node: QueryNode): KnownNode | null;
  agreement: Agreement & KeyedAgreement;
}

/** The same of a part of an index, whose agreement is told of all that is found. */
export function rankOfPart(
  view: IndexView,
  universe: Bitmap[],
  request: KeywordRequest,
  clock: Deadline,
  part: RankedPart,
): RankResult {
  return rankInOneCall(view, universe, request, clock, part) ?? rankInSteps(view, universe, request, clock, part);
}

/** Rule by rule, set by set: for what is not done in one call, and the measure of what is. */
export function rankInSteps(
  view: IndexView,
  universe: Bitmap[],
  request: KeywordRequest,
  clock: Deadline = new Deadline(request.deadline),
  part: RankedPart | null = null,
): RankResult {
  const distinctField = distinctFieldOf(view.settings, request.distinct);
  const searched = part === null ? searchedFields(view, request.attributesToSearchOn) : part.searched;
  const corpus = new Corpus(view, searched);
  return corpus.spaces.during(() => {
    const search = new Search(view, request, clock, corpus, searched, part);
    const found = rankWithin(view, search, universe, request, clock, distinctField);
    const { candidates, degraded, hits, query, total } = found;
    return { hits, candidates: corpus.spaces.kept(candidates), total, query, degraded };
  });
}

/** Null for what compiled code does not do: searches without words, rules it does not know, indexes that lie in several memories. */
function rankInOneCall(
  view: IndexView,
  universe: Bitmap[],
  request: KeywordRequest,
  clock: Deadline,
  part: RankedPart | null,
): RankResult | null {
  const distinctField = distinctFieldOf(view.settings, request.distinct);
  if (request.vector !== null) return null;
  const searched = part === null ? searchedFields(view, request.attributesToSearchOn) : part.searched;
  const rules = queryRules(view);
  const parsed = part?.parsed ?? parseQuery(request.q ?? "", rules, queryLocales(view, request.locales, searched));
  if (parsed.terms.length === 0) return null;
  const { settings } = view;
  const ranksWords = request.matchingStrategy !== "all";
  const ranking = ruleList({ settings, hasQuery: true, byVector: false, ranksWords, sort: request.sort });
  if (ranking.some(({ kind }) => RULES[kind].compiled === null)) return null;
  if (part !== null && (distinctField !== null || !canBeToldByCosts(ranking))) return null;
  const vocabulary = vocabularyOf(view);
  const { workspace } = vocabulary;
  if (workspace === null) return null;
  const { mark } = workspace;
  try {
    const index = searchIndexOf(vocabulary, settings, searched);
    if (index === null) return null;
    const columns = distinctField === null ? null : columnsOf(view, distinctField);
    const distinct = columns === null ? null : new Distinct(columns);
    const host = new Host(view, vocabulary, workspace, ranking, clock, distinct);
    const calls = part === null ? null : new PartCalls(workspace, ranking, host, part.agreement, part.knownOf);
    const found = searchInOneCall({
      view,
      vocabulary,
      index,
      rules,
      ranking,
      parsed,
      universe,
      request,
      host,
      part: calls,
    });
    calls?.show(found.hits);
    return distinct === null ? found : withoutEquals(view, found, host, distinct, request.exhaustive);
  } finally {
    workspace.release(mark);
  }
}

/** Whether what a part says of its documents tells where they stand among those of others. */
function canBeToldByCosts(ranking: readonly RuleName[]): boolean {
  return ranking.length > 0 && ranking.every((name) => name.kind !== "sort" || name.rule.kind === "field");
}

function columnsOf(view: IndexView, field: string): (Column | null)[] {
  return view.segments.map(({ reader }) => reader.columns.column(field) ?? null);
}

/** Takes those that share a value with one that was shown from what is counted; all of them when totals must be exact. */
function withoutEquals(
  view: IndexView,
  found: RankResult,
  { shown }: Host,
  distinct: Distinct,
  isExhaustive: boolean,
): RankResult {
  distinct.rows(found.candidates).forEach((rows, segment) => {
    found.candidates[segment]!.andNotWith(rows.andNotWith(shown[segment]!));
  });
  const candidates = isExhaustive ? withoutRepetitions(view, found.candidates, distinct.columns) : found.candidates;
  return { ...found, candidates, total: Math.min(countOf(candidates), view.settings.pagination.maxTotalHits) };
}

/** Of candidates that share a value of a field only the first one. */
export function firstOfEach(view: IndexView, candidates: RowSets, field: string): RowSets {
  return withoutRepetitions(view, candidates, columnsOf(view, field));
}

function withoutRepetitions(view: IndexView, candidates: RowSets, columns: readonly (Column | null)[]): RowSets {
  const spaces = new RowSpaces(vocabularyOf(view).segments.map(({ space }) => space));
  return spaces.during(() => spaces.kept(representatives(view, spaces, candidates, new Distinct(columns))));
}

function rankWithin(
  view: IndexView,
  search: Search,
  universe: Bitmap[],
  request: KeywordRequest,
  clock: Deadline,
  distinctField: string | null,
): RankResult {
  const { spaces } = search.context.corpus;
  const allowed = search.withoutNegatives(universe);
  const strategy = search.strategy();
  const reached = strategy === null ? allowed : strategy.universe(allowed);
  const columns = columnsOf(view, distinctField ?? "");
  const distinct = distinctField === null ? null : new Distinct(columns);
  search.context.isExcluded = distinct === null ? null : distinct.has;
  const { agreement } = search.context;
  if (distinct !== null) agreement?.attend(distinct);
  const { maxTotalHits } = view.settings.pagination;
  const limit = Math.min(request.offset + request.limit, maxTotalHits);
  const { rankingScoreThreshold: threshold, exhaustive } = request;
  const sorter = new BucketSort(
    {
      rules: search.rules(strategy, reached),
      spaces,
      docids: view.segments.map(({ reader }) => reader.docids),
      clock,
      distinct,
      agreement,
      threshold,
      limit,
      wanted: exhaustive && threshold !== null ? maxTotalHits : limit,
      wantsDetails: request.wantDetails,
    },
    reached,
  );
  sorter.run(reached, new GraphPaths(search.context.graph));
  const candidates =
    exhaustive && distinct !== null && request.vector === null && agreement === null
      ? representatives(view, spaces, sorter.candidates, new Distinct(columns))
      : sorter.candidates;
  return {
    hits: sorter.hits,
    candidates,
    total: Math.min(spaces.count(candidates), maxTotalHits),
    query: search.hasTerms ? () => matchedQuery(search.context.corpus, search.context.graph, search.parsed) : null,
    degraded: sorter.degraded,
  };
}

/** Of documents that share a value only the first one. */
function representatives(view: IndexView, spaces: RowSpaces, candidates: RowSets, distinct: Distinct): RowSets {
  const kept = spaces.copyOf(candidates);
  const docids = view.segments.map(({ reader }) => reader.docids);
  Documents.of(spaces, candidates).inOrder(docids, (segment, row) => {
    if (distinct.has(segment, row)) kept[segment]!.clear(row);
    else distinct.add(segment, row);
    return true;
  });
  return kept;
}

export function distinctFieldOf(settings: Settings, requested: string | null): string | null {
  if (requested === null) return settings.distinctAttribute;
  if (filterRuleFor(settings, requested) !== null) return requested;
  const names = settings.filterableAttributes
    .flatMap((rule) => (typeof rule === "string" ? [rule] : rule.attributePatterns))
    .filter((name) => isDisplayed(settings, name))
    .map((name) => `\`${name}\``);
  const hint =
    names.length === 0 ? "No attribute of this index is filterable." : `Filterable attributes: ${names.join(", ")}.`;
  throw apiError(
    "invalid_search_distinct",
    `Attribute \`${requested}\` is not filterable and cannot be distinct. ${hint}`,
  );
}

class Search {
  readonly parsed: ParsedQuery;
  readonly context: RankContext;
  readonly #request: KeywordRequest;

  constructor(
    view: IndexView,
    request: KeywordRequest,
    clock: Deadline,
    corpus: Corpus,
    searched: ReadonlySet<string> | null,
    part: RankedPart | null,
  ) {
    this.#request = request;
    const rules = queryRules(view);
    this.parsed = part?.parsed ?? parseQuery(request.q ?? "", rules, queryLocales(view, request.locales, searched));
    const matches = new Matches(corpus, rules.byAttribute);
    if (request.vector !== null) this.parsed.terms = [];
    const lexicon = part?.lexicon(corpus) ?? new CorpusLexicon(corpus, rules.byAttribute);
    const graph: QueryGraph = queryGraph(corpus, lexicon, rules, this.parsed, clock);
    part?.agreement.open(graph);
    this.context = { view, corpus, matches, graph, clock, isExcluded: null, agreement: part?.agreement ?? null };
  }

  get hasTerms(): boolean {
    return this.parsed.terms.length > 0;
  }

  withoutNegatives(universe: RowSets): RowSets {
    const { corpus, matches } = this.context;
    let allowed = universe;
    for (const word of this.parsed.negativeWords)
      allowed = corpus.spaces.andNot(allowed, matches.word(corpus.find(word)));
    for (const phrase of this.parsed.negativePhrases) allowed = corpus.spaces.andNot(allowed, matches.phrase(phrase));
    return allowed;
  }

  /** Null when there are no words to match. */
  strategy(): Strategy | null {
    if (!this.hasTerms) return null;
    const { agreement, graph, matches, view } = this.context;
    const live = view.segments.map((segment) => segment.live);
    return new Strategy(this.#request.matchingStrategy, graph, matches, live, agreement);
  }

  rules(strategy: Strategy | null, universe: RowSets): Rule[] {
    const { settings } = this.context.view;
    const names = ruleList({
      settings,
      hasQuery: this.hasTerms,
      byVector: this.#request.vector !== null,
      ranksWords: this.#request.matchingStrategy !== "all",
      sort: this.#request.sort,
    });
    const weights = new FieldWeights(settings.searchableAttributes, this.context.corpus);
    const { context } = this;
    const request = this.#request;
    return names.map((name, level) =>
      ruleFor(name, { context, request, strategy, universe: level === 0 ? universe : null, weights }),
    );
  }
}

function ruleFor<K extends RuleKind>(name: RuleName & { kind: K }, ranked: Ranked): Rule {
  return entryOf(name.kind).build(name, ranked);
}

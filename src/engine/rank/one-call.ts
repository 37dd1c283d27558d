/** A search by words in one call of compiled code: writes what is asked, reads what was found. */
import { internalError } from "../../base/errors/errors.ts";
import { Hit, HitDetail, Request } from "../../base/kernels/search/generated/layout.ts";
import { SKIPPED, STRATEGIES, searchInMemory } from "../../base/kernels/search/kernels.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { type Workspace, WorkspaceFull } from "../../storage/memory/workspace.ts";
import { Bitmap, wordsFor } from "../../storage/segment/bitmap.ts";
import { FilterCache } from "../filter/filter-cache.ts";
import type { ParsedQuery } from "../query/parse.ts";
import type { QueryRules } from "../query/rules.ts";
import { ScratchCache } from "../query/scratch-cache.ts";
import { copySets, type SearchIndex } from "../query/search-index.ts";
import type { Vocabulary } from "../query/vocabulary.ts";
import type { Host } from "./host.ts";
import { MatchedWords } from "./matched-words.ts";
import type { PartCalls } from "./part-calls.ts";
import { putNodes, putPhrases, queryNodes } from "./query-nodes.ts";
import type { KeywordRequest } from "./request.ts";
import type { RankDetail, RankedHit, RankResult } from "./result.ts";
import { entryOf, RULES, type RuleKind, type RuleName } from "./rule-table.ts";

/** The host may use one part in this many of the room. */
const HOST_SHARE = 4;
/** In which single terms are spelled while the results are read. */
const SPELLING_BYTES = 1024;
/** A set is kept from search to search if it takes at most one part in this many of what can be kept. */
const UNIVERSE_SHARE = 16;

interface Asked {
  view: IndexView;
  vocabulary: Vocabulary;
  index: SearchIndex;
  rules: QueryRules;
  ranking: readonly RuleName[];
  parsed: ParsedQuery;
  universe: readonly Bitmap[];
  request: KeywordRequest;
  host: Host;
  /** Null for a search over a whole index. */
  part: PartCalls | null;
}

/** The workspace is to be released by the caller. */
export function searchInOneCall(asked: Asked): RankResult {
  const { host, index, parsed, part, ranking, request, rules, view, vocabulary } = asked;
  const { workspace } = index;
  const nodes = queryNodes(rules, parsed, host.clock);
  const at = workspace.allocate(Request.WORDS * 4);
  const struct = at >>> 2;
  const { u32 } = workspace;
  const { maxTotalHits } = view.settings.pagination;
  const { exhaustive, rankingScoreThreshold: threshold, wantMatches: wantsWords = true } = request;
  const limit = Math.min(request.offset + request.limit, maxTotalHits);
  const negatives = [...parsed.negativeWords.map((word) => [word]), ...parsed.negativePhrases];
  u32.fill(0, struct, struct + Request.WORDS);
  u32[struct + Request.index] = index.address;
  const passing = universeOf(asked);
  u32[struct + Request.universe] = passing.at;
  u32[struct + Request.isTrimmed] = passing.isTrimmed ? 1 : 0;
  u32[struct + Request.nodes] = putNodes(workspace, nodes, part === null ? null : part.knownOf);
  u32[struct + Request.nodeCount] = nodes.length;
  u32[struct + Request.termCount] = parsed.terms.length;
  u32[struct + Request.negatives] = putPhrases(workspace, negatives);
  u32[struct + Request.negativeCount] = negatives.length;
  u32[struct + Request.rules] = putRules(workspace, ranking);
  u32[struct + Request.ruleCount] = ranking.length;
  u32[struct + Request.strategy] = STRATEGIES[request.matchingStrategy];
  u32[struct + Request.limit] = limit;
  u32[struct + Request.wanted] = exhaustive && threshold !== null ? maxTotalHits : limit;
  u32[struct + Request.wantsDetails] = request.wantDetails ? 1 : 0;
  if (threshold !== null) putThreshold(u32, struct, threshold);
  u32[struct + Request.isDistinct] = host.isDistinct ? 1 : 0;
  u32[struct + Request.isPart] = part === null ? 0 : 1;
  u32[struct + Request.wantsWords] = wantsWords ? 1 : 0;
  // Where the host may be called it needs room, too.
  const free = workspace.room - SPELLING_BYTES;
  const room = host.isCalled ? Math.floor(free / HOST_SHARE) * (HOST_SHARE - 1) : free;
  u32[struct + Request.roomEnd] = workspace.mark + room;
  u32[struct + Request.room] = workspace.allocate(room);
  run(workspace, at, host, part);
  // What is copied out of memory that the next search uses, only for those who will look at it.
  const wantsCandidates = request.candidates !== "none" || host.isDistinct;
  const words = wantsWords ? new MatchedWords(vocabulary, nodes, u32, struct) : null;
  const matched = words?.query(workspace.u8, parsed.stopWords) ?? null;
  const count = u32[struct + Request.candidateCount]!;
  return {
    hits: hitsAt(u32, struct, request.wantDetails ? ranking : null, host),
    candidates: wantsCandidates ? candidatesAt(asked, u32[struct + Request.candidates]!, count) : [],
    total: Math.min(count, maxTotalHits),
    query: matched === null ? null : () => matched,
    degraded: u32[struct + Request.isDegraded] === 1,
  };
}

function run({ memory, end, start }: Workspace, request: number, host: Host, part: PartCalls | null): void {
  try {
    searchInMemory(memory, request, host, part);
  } catch (problem) {
    if (!(problem instanceof WebAssembly.RuntimeError || problem instanceof WorkspaceFull)) throw problem;
    throw internalError(`the search takes more memory than the ${end - start} bytes a reader has: ${problem.message}`);
  }
}

/** Rows that pass the filter: those of the index, and those that came before, are there already, and a search has trimmed them. */
function universeOf({ index, universe, view, vocabulary }: Asked): { at: number; isTrimmed: boolean } {
  const { live, mappedBytes, setBytes, setsAt, workspace } = index;
  if (universe.every((rows, i) => rows === view.segments[i]!.live)) return { at: live, isTrimmed: true };
  const store = ScratchCache.of(workspace);
  // The index itself, which was used last, must not have to make room.
  const name = mappedBytes <= store.bytes / UNIVERSE_SHARE ? FilterCache.nameOf(universe) : null;
  const known = name === null ? null : store.find(name);
  if (known !== null) return { at: known[0]!, isTrimmed: true };
  const at = (name === null ? null : store.reserve(vocabulary, name, mappedBytes)) ?? workspace.allocate(mappedBytes);
  copySets(workspace, at, setsAt, setBytes, universe);
  return { at, isTrimmed: false };
}

function putRules(workspace: Workspace, ranking: readonly RuleName[]): number {
  const at = workspace.allocate(ranking.length);
  ranking.forEach(({ kind }, level) => {
    workspace.u8[at + level] = RULES[kind].compiled!;
  });
  return at;
}

function putThreshold(u32: Uint32Array, struct: number, threshold: number): void {
  const halves = new Uint32Array(Float64Array.of(threshold).buffer);
  u32[struct + Request.hasThreshold] = 1;
  u32[struct + Request.thresholdLow] = halves[0]!;
  u32[struct + Request.thresholdHigh] = halves[1]!;
}

function candidatesAt({ host, index, request, view }: Asked, at: number, count: number): Bitmap[] {
  const { lentFrom, lentTo, setsAt, workspace } = index;
  const stays = request.candidates === "borrowed" && !host.isDistinct && at >= lentFrom && at < lentTo;
  const known = stays && view.segments.length === 1 ? count : null;
  return view.segments.map(({ rows }, i) => {
    const from = (at + setsAt[i]!) >>> 2;
    const words = workspace.u32.subarray(from, from + wordsFor(rows));
    return new Bitmap(rows, stays ? words : words.slice(), known);
  });
}

/** `ranking`: null when nobody wants to know what the rules said. */
function hitsAt(u32: Uint32Array, struct: number, ranking: readonly RuleName[] | null, host: Host): RankedHit[] {
  const hits: RankedHit[] = [];
  const at = u32[struct + Request.hits]! >>> 2;
  let known = 0;
  let details: RankDetail[] = [];
  for (let i = 0; i < u32[struct + Request.hitCount]!; i++) {
    const hit = at + i * Hit.WORDS;
    // Documents of one bucket share what is said about them.
    if (ranking !== null && u32[hit + Hit.details] !== known) {
      known = u32[hit + Hit.details]!;
      details = detailsAt(u32, known >>> 2, ranking, host);
    }
    hits.push({ segment: u32[hit + Hit.segment]!, row: u32[hit + Hit.row]!, docid: u32[hit + Hit.docid]!, details });
  }
  return hits;
}

function detailsAt(u32: Uint32Array, at: number, ranking: readonly RuleName[], host: Host): RankDetail[] {
  const details: RankDetail[] = [];
  for (let level = 0; level < u32[at]!; level++) {
    const rule = ranking[level]!;
    const detail = at + 1 + level * HitDetail.WORDS;
    const cost = u32[detail + HitDetail.cost]!;
    const isSorted = rule.kind === "sort" && cost !== SKIPPED;
    details.push(isSorted ? host.details[cost]! : detailOf(rule, cost, u32[detail + HitDetail.most]!));
  }
  return details;
}

/** `max`: how many different costs there could be. */
function detailOf<K extends RuleKind>(rule: RuleName & { kind: K }, cost: number, max: number): RankDetail {
  if (cost === SKIPPED) return { kind: "skipped" };
  const { said } = entryOf(rule.kind);
  if (said === null) throw new TypeError(`rule ${rule.kind} has no cost`);
  return said(rule, cost, max);
}

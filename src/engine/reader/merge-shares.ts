/**
 * The answer to a search that several servers took part in: reads what each has answered, merges, and writes. A server whose answer
 * cannot be read counts as one that failed: the answer says so, and is made of the others.
 */

import type { Federation } from "../../base/contract/multi-search.ts";
import { apiError, type ErrorBody, internalError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { doubleText } from "../../base/json/number.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { writeFacetDistribution, writeFacetStats } from "../answer/facets.ts";
import type { DocumentsPlan } from "../ask/shared-documents.ts";
import type { FacetsPlan } from "../ask/shared-facets.ts";
import type { SharesPlan } from "../ask/shares.ts";
import { NoShare, readShare, type Share } from "../federation/share.ts";
import { type WholeHit, wholeOf } from "../federation/whole.ts";
import { type WholeFacets, wholeFacets } from "../federation/whole-facets.ts";
import type { ReaderRequests } from "../link/requests.ts";
import type { PersonalList } from "../personal/asking.ts";

import { SearchClock } from "./clock.ts";
import { paging } from "./federated.ts";
import { writeFederatedFacets } from "./federated-facets.ts";
import { mergeDocuments } from "./merge-documents.ts";
import { mergeFacetHits } from "./merge-facet-hits.ts";
import { wordsOf } from "./personal.ts";
import { metadataOf } from "./search.ts";

/** What one server has found. */
interface ServersShare extends Share {
  /** Its name; null for this one without a name. */
  server: string | null;
  bytes: Uint8Array;
}

/** The answer, and in whose order its hits are to be put. */
interface Merged {
  body: Uint8Array;
  personalLists: PersonalList[];
}

export function mergeShares(header: ReaderRequests["merge"], payload: Uint8Array): Merged {
  const text = Buffer.from(payload.subarray(0, header.planBytes)).toString("utf8");
  const plan = JSON.parse(text) as SharesPlan | FacetsPlan | DocumentsPlan;
  if (plan.shape === "facets") return { body: mergeFacetHits(header, plan, payload), personalLists: [] };
  if (plan.shape === "documents") return { body: mergeDocuments(header, plan, payload), personalLists: [] };
  return mergeSearches(header, plan, payload);
}

function mergeSearches({ call, ...sent }: ReaderRequests["merge"], plan: SharesPlan, payload: Uint8Array): Merged {
  const clock = new SearchClock(call);
  const errors = new Map<string, ErrorBody>(Object.entries(sent.errors));
  const shares = clock.step("federating results > read", () => readAll(sent, plan, payload, errors));
  const { page, rejected } = clock.step("federating results > merge", () => wholeOf(shares, plan.federation));
  const facets = wholeFacets(shares, rejected);
  const total = shares.reduce((sum, share) => sum + share.total, 0) - rejected.length;

  const out = new ByteSink(16 * 1024);
  const { federation, shape } = plan;
  const first = plan.queries[0]!;
  out.utf8(shape === "result" ? `{"indexUid":${JSON.stringify(first.indexUid)},"hits":[` : '{"hits":[');
  clock.step("federating results > answer", () => writeHits(page, shares, out));
  out.ascii("]");
  if (shape !== "federated") out.utf8(`,"query":${JSON.stringify(first.q ?? "")}`);
  writeQueryVectors(shares, shape, out);
  out.ascii(`,"processingTimeMs":${Math.floor(clock.waitedMs + clock.elapsedMs)},`);
  out.ascii(paging(federation, total));
  writeFacets(facets, federation, shape, out);
  out.ascii(`,"requestUid":"${call.requestUid}"`);
  if (call.includeMetadata) {
    const all = metadata(plan, shares);
    out.utf8(`,"metadata":${JSON.stringify(shape === "federated" ? all : all[0])}`);
  }
  const shown = [...errors].sort(([a], [b]) => (a < b ? -1 : 1));
  out.utf8(`,"remoteErrors":${JSON.stringify(Object.fromEntries(shown))}`);
  if (shares.some(({ semanticHitCount }) => semanticHitCount !== null)) {
    out.ascii(`,"semanticHitCount":${page.filter(isByMeaning).length}`);
  }
  if (federation.showPerformanceDetails) out.utf8(`,"performanceDetails":${JSON.stringify(clock.details())}`);
  out.byte(0x7d);
  const { personalize } = federation;
  const personalLists =
    personalize === null ? [] : [{ result: null, q: wordsOf(plan.queries), userContext: personalize.userContext }];
  return { body: out.view(), personalLists };
}

function readAll(
  { shares, planBytes }: Pick<ReaderRequests["merge"], "shares" | "planBytes">,
  { self }: SharesPlan,
  payload: Uint8Array,
  errors: Map<string, ErrorBody>,
): ServersShare[] {
  let at = planBytes;
  return shares.flatMap(({ remote, bytes: length }) => {
    const bytes = payload.subarray(at, at + length);
    at += length;
    try {
      return [{ ...readShare(bytes), server: remote ?? self, bytes }];
    } catch (problem) {
      if (!(problem instanceof NoShare)) throw problem;
      if (remote === null) throw internalError(problem);
      const why = `${problem.message}; check that it is a server of this kind and version`;
      errors.set(remote, apiError("remote_bad_response", `The answer of the remote cannot be used: ${why}.`).body());
      return [];
    }
  });
}

function writeHits(page: readonly WholeHit[], shares: readonly ServersShare[], out: ByteSink): void {
  for (const [i, hit] of page.entries()) {
    const { server, bytes } = shares[hit.share]!;
    if (i > 0) out.byte(0x2c);
    out.bytes(bytes, hit.start, hit.federationStart);
    out.utf8(
      `{"indexUid":${JSON.stringify(hit.indexUid)},"queriesPosition":${hit.query},` +
        `"weightedRankingScore":${doubleText(hit.weightedScore)},"remote":${JSON.stringify(server)}}`,
    );
    out.bytes(bytes, hit.federationEnd, hit.end);
  }
}

function isByMeaning({ elements }: WholeHit): boolean {
  return elements.some((element) => element.kind === "score" && element.byMeaning === true);
}

function writeQueryVectors(shares: readonly ServersShare[], shape: SharesPlan["shape"], out: ByteSink): void {
  const vectors = new Map(shares.flatMap(({ queryVectors }) => queryVectors));
  if (vectors.size === 0) return;
  if (shape !== "federated") {
    out.utf8(`,"queryVector":${[...vectors.values()][0]}`);
    return;
  }
  const members = [...vectors].sort(([a], [b]) => Number(a) - Number(b)).map(([place, text]) => `"${place}":${text}`);
  out.utf8(`,"queryVectors":{${members.join(",")}}`);
}

function writeFacets(
  facets: readonly WholeFacets[],
  federation: Federation,
  shape: SharesPlan["shape"],
  out: ByteSink,
): void {
  const [only] = facets;
  if (shape === "federated" || only === undefined) {
    writeFederatedFacets(facets, federation, out);
    return;
  }
  out.ascii(',"facetDistribution":');
  writeFacetDistribution(only.facets, out);
  out.ascii(',"facetStats":');
  writeFacetStats(only.all, out);
}

/** By place in the request. The primary key of an index is told by the server that has searched it. */
function metadata({ queries, self }: SharesPlan, shares: readonly ServersShare[]): JsonObject[] {
  const keys = new Map<string, Json>();
  for (const { server, metadata: told } of shares) {
    for (const { indexUid, primaryKey } of told) keys.set(`${server}/${String(indexUid)}`, primaryKey ?? null);
  }
  return queries.map(({ indexUid, q, federationOptions }) => {
    const server = federationOptions?.remote ?? self;
    const key = keys.get(`${server}/${indexUid}`);
    const told = metadataOf(indexUid, typeof key === "string" ? key : null, { q });
    return server === null ? told : { ...told, remote: server };
  });
}

/** Which part of the server answers which kind of request. One line each: the work is done elsewhere. */

import type { JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import { encodePayload, preparePayload } from "../../base/payload/prepare.ts";
import { tablesOf } from "../../base/text/dictionaries.ts";
import type { Snapshot } from "../../storage/index/catalog.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { settingsView, settingView } from "../../storage/settings/view.ts";
import { listFields } from "../answer/fields.ts";
import type { SearchAnswer } from "../answer/search.ts";
import { indexStats, indexTotals, indexView, serverStats } from "../answer/stats.ts";
import type { OwnFacetSearch } from "../ask/shared-facets.ts";
import { receivedScope, type SentScope } from "../auth/scope.ts";
import { encodeVolatileSpans, plainAnswer } from "../cache/cached-answer.ts";
import { gzipAnswer } from "../cache/gzip.ts";
import { COMPRESS_BYTES_MIN, compressNow } from "../link/coding.ts";
import type { DescribedIndex, DividedIndex, SearchCall } from "../link/requests.ts";
import { encodeSeen } from "../link/seen-searches.ts";
import { answerAsked } from "./asked.ts";
import { Asking } from "./asking.ts";
import { IndexInParts } from "./divided/index-in-parts.ts";
import { answerPart } from "./divided/part.ts";
import { documentsShare, runDocument, runDocuments } from "./documents.ts";
import { runFacetSearch } from "./facet-search.ts";
import { mergeShares } from "./merge-shares.ts";
import { ownShareIn, runMultiSearch, runShare } from "./multi-search.ts";
import { readNamedIndexes } from "./named-indexes.ts";
import { cutoffOf, forOrder, personalListsOf, putInOrder } from "./personal.ts";
import { answerRender, renderFound } from "./render.ts";
import { anyViewOf, runSearch, viewOf } from "./search.ts";
import { runSimilar } from "./similar.ts";
import type { Handler, Handlers, Reply, RequestContext } from "./task.ts";
import { readTask } from "./task-bodies.ts";

export const handlers: Handlers = {
  "documents.list": (header, _payload, context) => json(runDocuments(header, context)),
  "documents.get": ({ indexUid, id, ...params }, _payload, context) =>
    json(runDocument(viewOf(indexUid, context), id, params, context)),
  settings: ({ indexUid, setting, features }, _payload, context) => {
    const { settings } = anyViewOf(indexUid, context);
    return json(encoded(setting === null ? settingsView(settings, features) : settingView(settings, setting)));
  },
  fields: ({ indexUid, offset, limit, filter }, _payload, context) => {
    const view = viewOf(indexUid, context);
    const fields = listFields(IndexInParts.of(view, context)?.fields() ?? view, filter);
    return json(encoded({ results: fields.slice(offset, offset + limit), offset, limit, total: fields.length }));
  },
  search: (header, _payload, context) => {
    const searched = runSearch(header, context);
    const { found } = searched.answer;
    const { personalize, q } = header.query;
    if (personalize !== null) {
      const list = { result: null, q, userContext: personalize.userContext };
      const { body } = searched.answer;
      return { ...(forOrder(body, [list], cutoffOf([header.indexUid], context)) ?? json(body)), found };
    }
    if (searched.isKeepable) return keepable(searched.answer, header.call);
    return { ...compressed(searched.answer.body, header.call), found, wants: searched.wantsVector ? "vector" : null };
  },
  facetSearch: (header, _payload, context) => compressed(runFacetSearch(header, context), header.call),
  multiSearch: async (header, _payload, context) => {
    const { body, seen } = await runMultiSearch(header, context);
    const personalLists = header.isShare ? [] : personalListsOf(header);
    const uids = header.queries.map(({ indexUid }) => indexUid);
    const reply = personalLists.length === 0 ? null : forOrder(body, personalLists, cutoffOf(uids, context));
    return { ...(reply ?? compressed(body, header.call)), marks: encodeSeen(seen) };
  },
  share: async (header, payload, context) => {
    const own = ownShareIn(payload);
    if ("facetSearch" in own) return json(facetShare(own, header.call, context));
    if ("documents" in own) return json(documentsShare(own, context));
    const body = await runShare(own, header.call, context);
    const personalLists = own.federation === null ? personalListsOf(own) : [];
    return forOrder(body, personalLists, limits.searchCutoffMs) ?? compressed(body, header.call);
  },
  merge: (header, payload) => {
    const { body, personalLists } = mergeShares(header, payload);
    return forOrder(body, personalLists, limits.searchCutoffMs) ?? compressed(body, header.call);
  },
  order: (header, payload) => json(putInOrder(header, payload)),
  similar: (header, _payload, context) => compressed(runSimilar(header, context), header.call),
  asked: (header, payload, context) => answerAsked(header, payload, context, handlers),
  render: (header, payload, context) =>
    answerRender(header, payload, context, (view, id) =>
      runDocument(view, id, { fields: null, retrieveVectors: false }, context),
    ),
  "render.found": renderFound,
  "task.read": (header, payload) => readTask(header, payload),
  "indexes.named": (_header, payload) => readNamedIndexes(payload),
  "indexes.divided": (_header, _payload, context) => json(encoded(dividedIndexes(context.snapshot()))),
  "indexes.list": ({ scope, offset, limit }, _payload, context) => {
    const allowed = allowedIndexes(scope, context);
    const results = allowed.slice(offset, offset + limit).map(indexView);
    return json(encoded({ results, offset, limit, total: allowed.length }));
  },
  "indexes.described": ({ scope }, _payload, context) =>
    json(encoded(describedIndexes(allowedIndexes(scope, context)))),
  "indexes.totals": (_header, _payload, context) => json(encoded(indexTotals(context.snapshot().indexes()))),
  stats: ({ indexUid, scope, facts, query }, _payload, context) => {
    if (indexUid !== "") return json(encoded(indexStats(anyViewOf(indexUid, context), facts, query)));
    const { allowsIndex } = receivedScope(scope);
    return json(encoded(serverStats(context.snapshot().indexes(), allowsIndex, facts, query)));
  },
  part: answerPart,
  told: ({ header, kind, payloadBytes, since, told }, payload, context) => {
    context.parts = new Asking(told, payload.subarray(payloadBytes));
    if ("call" in header) header.call.since = since;
    // The table pairs each kind with a handler of its header; the compiler cannot follow a kind known only at run time.
    const handler = handlers[kind] as Handler<typeof kind>;
    return handler(header, payload.subarray(0, payloadBytes), context);
  },
  "payload.prepare": ({ format, delimiter }, payload) => ({
    status: 200,
    contentType: "application/octet-stream",
    body: Buffer.concat(encodePayload(preparePayload(payload, format, delimiter))),
  }),
  "dictionary.load": ({ dictionary }) => {
    tablesOf(dictionary);
    return { status: 204, contentType: "application/octet-stream", body: Buffer.alloc(0) };
  },
};

/** All indexes are looked at, which may be many. */
function dividedIndexes(snapshot: Snapshot): DividedIndex[] {
  const divided = snapshot.indexes().filter(({ shards }) => shards > 1);
  return divided.map(({ id, uid }) => ({ uid, id }));
}

function allowedIndexes(scope: SentScope, context: RequestContext): IndexView[] {
  const { allowsIndex } = receivedScope(scope);
  const all = context.snapshot().indexes();
  return all.filter(({ uid }) => allowsIndex(uid));
}

function describedIndexes(indexes: readonly IndexView[]): DescribedIndex[] {
  return indexes.map(({ uid, settings }) => ({
    uid,
    description: String((settingView(settings, "chat") as JsonObject)["description"]),
    isFilterable: settings.filterableAttributes.length > 0,
  }));
}

/** Nothing where this server is not asked. */
function facetShare({ facetSearch }: OwnFacetSearch, call: SearchCall, context: RequestContext): Uint8Array {
  return facetSearch === null ? Buffer.from('{"facetHits":[]}') : runFacetSearch({ ...facetSearch, call }, context);
}

function encoded(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function json(body: Uint8Array): Reply {
  return { status: 200, contentType: "application/json", body };
}

/** Here and not in the front: readers are many, the front is one. */
function compressed(body: Uint8Array, { coding }: SearchCall): Reply {
  if (coding === null || body.length < COMPRESS_BYTES_MIN) return json(body);
  return { ...json(compressNow(body, coding)), coding };
}

/** With what is needed to give the answer again. */
function keepable(answer: SearchAnswer, call: SearchCall): Reply {
  const isPlain = call.coding === null || answer.body.length < COMPRESS_BYTES_MIN;
  const { found } = answer;
  if (!isPlain && call.coding !== "gzip") return { ...compressed(answer.body, call), found };
  const kept = isPlain ? plainAnswer(answer) : gzipAnswer(answer);
  const { body, coding } = kept;
  return { status: 200, contentType: "application/json", body, coding, marks: encodeVolatileSpans(kept), found };
}

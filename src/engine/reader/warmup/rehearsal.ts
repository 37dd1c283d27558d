/**
 * Questions about an index of the server, made of what some of its documents say: as they are typed, and as an application asks
 * that filters, counts and marks. Code that is hot for a made-up index is not yet for this one, since the engine compiles for
 * the shapes that it has seen: other settings, other columns, larger numbers.
 */
import { parseSearch } from "../../../base/contract/search.ts";
import type { Json, JsonObject } from "../../../base/json/value.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { encodeRequest } from "../../link/requests.ts";
import type { Chance } from "./documents.ts";
import { beginning, callWith, misspelt } from "./sample-requests.ts";

const DOCUMENTS_AT_ONCE = 4;
const WORDS = 4;
const LETTERS_MAX = 30;
/** Longer ones take long to read. */
const DOCUMENT_BYTES_MAX = 16 * 1024;

/** What questions about an index are made of. */
export interface Rehearsed {
  uid: string;
  documentCount: number;
  texts: string[];
  filters: string[];
  sorts: string[];
}

/** Null where there is nothing to ask about, or where documents are so long that reading a few is no small step. */
export function rehearsedOf(view: IndexView): Rehearsed | null {
  const { uid, documentCount, documentBytes, settings } = view;
  if (view.problem !== null || view.hasLongSettings || view.shardsElsewhere.length > 0) return null;
  if (documentCount === 0 || documentBytes / documentCount > DOCUMENT_BYTES_MAX) return null;
  const { searchableAttributes, sortableAttributes, filterableAttributes } = settings;
  return {
    uid,
    documentCount,
    texts: searchableAttributes.includes("*") ? view.fieldOrder : searchableAttributes,
    filters: filterableAttributes
      .flatMap((rule) => (typeof rule === "string" ? rule : rule.attributePatterns))
      .filter((name) => !name.includes("*")),
    sorts: sortableAttributes,
  };
}

/** A request for a few documents. */
export function documentsRequest({ uid, documentCount }: Rehearsed, chance: Chance): Uint8Array {
  const offset = Math.floor(chance() * Math.max(1, documentCount - DOCUMENTS_AT_ONCE));
  const all = { fields: null, ids: null, filter: null, sort: null, retrieveVectors: false, isShare: false };
  return encodeRequest(0, "documents.list", { indexUid: uid, offset, limit: DOCUMENTS_AT_ONCE, ...all });
}

/** Requests that the documents in an answer give rise to. */
export function* searchesFor(rehearsed: Rehearsed, answer: Uint8Array, chance: Chance): Generator<Uint8Array> {
  const { results } = JSON.parse(Buffer.from(answer).toString()) as { results: JsonObject[] };
  for (const document of results) {
    for (const body of bodiesFor(rehearsed, document, chance)) {
      const indexUid = rehearsed.uid;
      yield encodeRequest(0, "search", { indexUid, query: parseSearch(body), call: callWith(null) });
    }
  }
}

function* bodiesFor({ texts, filters, sorts }: Rehearsed, document: JsonObject, chance: Chance): Generator<JsonObject> {
  const said = texts.flatMap((name) => textIn(document[name]));
  if (said.length === 0) return;
  const text = said[Math.floor(chance() * said.length)]!;
  const conditions = filters.flatMap((name) => conditionsOn(name, document[name]));
  yield { q: beginning(text, chance) };
  yield { q: beginning(text, chance) };
  yield { q: misspelt(text, chance) };
  const application = { attributesToHighlight: ["*"], limit: 10 };
  if (conditions.length > 0) {
    const filter = conditions.slice(0, 2).join(" AND ");
    yield { q: beginning(text, chance), filter, facets: filters.slice(0, 1), ...application };
    yield { q: beginning(text, chance), filter: conditions.at(-1)!, facets: filters.slice(0, 2), ...application };
    yield { q: "", filter, facets: filters.slice(0, 1) };
  } else {
    yield { q: beginning(text, chance), ...application };
  }
  if (sorts.length > 0) yield { q: beginning(text, chance), sort: [`${sorts[0]}:asc`] };
}

/** A few words of it, as of what is typed. */
function textIn(value: Json | undefined): string[] {
  if (typeof value !== "string") return [];
  const text = value.split(" ", WORDS).join(" ").slice(0, LETTERS_MAX);
  return text === "" ? [] : [text];
}

/** Conditions that the document meets. */
function conditionsOn(name: string, value: Json | undefined): string[] {
  const [one = null] = [value].flat();
  if (typeof one === "number") return [`${name} >= ${one}`];
  if (typeof one === "string") return [`${name} = ${JSON.stringify(one)}`];
  return [];
}

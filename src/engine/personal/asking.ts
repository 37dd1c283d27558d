/**
 * The request to a reranking service: the profile of the user, the query, and the hits as JSON. Bounded in number of
 * hits and in bytes of each; hits beyond the bound keep their places behind the others.
 */
import { ByteSink } from "../../base/json/bytes.ts";
import { membersOf, objectsIn, type Range, textIn } from "../../base/json/ranges.ts";

/** A list of hits that is to be put in the order of a person: which one, and what is known of the person. */
export interface PersonalList {
  /** Place among several results; null for an answer that is one. */
  result: number | null;
  q: string | null;
  userContext: string;
}

const HITS_MAX = 1000;
const HIT_UNITS_MAX = 16 * 1024;
const ASKED_UNITS_MAX = 4 * 1024 * 1024;

/** What the server itself tells about a hit is not part of the document. */
const OWN_MEMBERS = new Set([
  "_formatted",
  "_matchesPosition",
  "_rankingScore",
  "_rankingScoreDetails",
  "_federation",
  "_vectors",
  "_geoDistance",
]);

/** The body of the request, but for the model; null when there is nothing to put in order. */
export function askingFor({ result, q, userContext }: PersonalList, answer: Uint8Array): Uint8Array | null {
  const hits = hitsIn(answer, result);
  if (hits.length < 2) return null;
  const documents: string[] = [];
  let units = 0;
  for (const hit of hits.slice(0, HITS_MAX)) {
    const document = documentOf(answer, hit).slice(0, HIT_UNITS_MAX);
    units += document.length;
    if (units > ASKED_UNITS_MAX) break;
    documents.push(document);
  }
  const words = q === null || q.trim() === "" ? "" : `\nQuery: ${q}`;
  const out = new ByteSink(units + 1024);
  out.utf8(JSON.stringify({ query: `User context: ${userContext}${words}`, documents, top_n: documents.length }));
  return out.view();
}

/** Where the hits lie in an answer of our own. */
export function hitsIn(answer: Uint8Array, result: number | null): Range[] {
  const top = membersOf(answer, { start: 0, end: answer.length });
  const one = result === null ? top : membersOf(answer, objectsIn(answer, top.get("results")!)![result]!);
  return objectsIn(answer, one.get("hits")!)!;
}

function documentOf(answer: Uint8Array, hit: Range): string {
  const members = [...membersOf(answer, hit)].filter(([name]) => !OWN_MEMBERS.has(name));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${textIn(answer, value)}`).join(",")}}`;
}

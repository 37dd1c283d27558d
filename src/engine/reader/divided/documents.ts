/** Documents of an index in parts read back: a list, a page of it, or one by its id. */
import { ApiError, documentNotFound } from "../../../base/errors/errors.ts";
import { ByteSink } from "../../../base/json/bytes.ts";
import type { DocumentsParams } from "../../answer/documents.ts";
import { sentElements } from "../../federation/sent-elements.ts";
import { compareElements, type Element } from "../../rank/elements.ts";
import { writeListed } from "./hits.ts";
import type { IndexInParts } from "./index-in-parts.ts";

interface PlacedDocument {
  part: number;
  docid: number;
  place: Element[];
}

export function documentsInParts(index: IndexInParts, params: DocumentsParams): Uint8Array {
  const { fields, filter, ids, isShare, limit, offset, retrieveVectors, sort } = params;
  const answers = index.ask("order", { filter, ids, sort, end: offset + limit });
  const total = answers.reduce((sum, { answer }) => sum + answer.total, 0);
  const all = answers.flatMap(({ answer: { docids, places } }, part): PlacedDocument[] =>
    docids.map((docid, i) => ({ part, docid, place: places?.[i] ?? [] })),
  );
  all.sort((a, b) => -compareElements(a.place, b.place, 0, 0) || a.docid - b.docid);
  const page = all.slice(offset, offset + limit);
  const known = index.fieldsBehind(fields ?? []);
  const asked = Array.from({ length: index.count }, (_, part) => {
    const own = page.filter((document) => document.part === part);
    if (own.length === 0) return null;
    const places = isShare ? own.map(({ place }) => sentElements(place)) : null;
    return { docids: own.map(({ docid }) => docid), fields, known, retrieveVectors, places };
  });
  const written = index.askEach("documents", asked);
  const next = asked.map(() => 0);
  const pieces = page.map(({ part }) => written[part]!.pieces[next[part]!++]!);
  const out = new ByteSink(16 * 1024);
  out.ascii('{"results":[');
  writeListed(
    pieces.filter(({ length }) => length > 0),
    out,
  );
  out.ascii(`],"offset":${offset},"limit":${limit},"total":${total}`);
  if (index.errors !== null) out.utf8(`,"remoteErrors":${JSON.stringify(index.errors)}`);
  out.byte(0x7d);
  return out.view();
}

/** The document, or `document_not_found`; whether it is in a part that is missing cannot be known. */
export function documentInParts(
  index: IndexInParts,
  id: string,
  params: { fields: string[] | null; retrieveVectors: boolean },
): Uint8Array {
  const { fields, retrieveVectors } = params;
  const known = index.fieldsBehind(fields ?? []);
  for (const { pieces } of index.ask("document", { id, fields, known, retrieveVectors }))
    if (pieces.length > 0) return pieces[0]!;
  if (index.errors !== null) {
    throw new ApiError("internal", `A part of the index \`${index.view.uid}\` cannot be reached: ask again.`, 503);
  }
  throw documentNotFound(id);
}

/** Documents of several servers as one list: in the order that was asked for, else those of one server after those of another. */
import { apiError, type ErrorBody, internalError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { jsonProblem, membersOf, objectsIn, type Range, textIn } from "../../base/json/ranges.ts";
import type { DocumentsPlan } from "../ask/shared-documents.ts";
import { receivedElements } from "../federation/sent-elements.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { compareElements, type Element } from "../rank/elements.ts";

interface SharedDocument {
  /** As its server wrote them, but for what it tells of their place. */
  members: Map<string, Range>;
  elements: Element[];
}

interface List {
  bytes: Uint8Array;
  documents: SharedDocument[];
  total: number;
}

export function mergeDocuments(
  { planBytes, shares, errors: sent }: ReaderRequests["merge"],
  { offset, limit, self }: DocumentsPlan,
  payload: Uint8Array,
): Uint8Array {
  const errors: Record<string, ErrorBody> = { ...sent };
  const lists: (List & { server: string })[] = [];
  let at = planBytes;
  for (const { remote, bytes: length } of shares) {
    const list = readList(payload.subarray(at, at + length));
    at += length;
    if (list !== null) lists.push({ ...list, server: remote ?? self ?? "" });
    else if (remote === null) throw internalError("what was found here cannot be read");
    else errors[remote] = apiError("remote_bad_response", "The answer of the remote is no list of documents.").body();
  }
  lists.sort((a, b) => (a.server < b.server ? -1 : 1));
  const out = new ByteSink(16 * 1024);
  out.ascii('{"results":[');
  writeMerged(lists, offset, limit, out);
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  out.ascii(`],"offset":${offset},"limit":${limit},"total":${total}`);
  if (Object.keys(errors).length > 0) out.utf8(`,"remoteErrors":${JSON.stringify(errors)}`);
  out.byte(0x7d);
  return out.view();
}

/** Null for what is no list of documents that tell their place. */
function readList(bytes: Uint8Array): List | null {
  if (jsonProblem(bytes) !== null) return null;
  const answer = membersOf(bytes, { start: 0, end: bytes.length });
  const [results, total] = [answer.get("results"), answer.get("total")];
  const ranges = results === undefined ? null : objectsIn(bytes, results);
  if (ranges === null || total === undefined) return null;
  const documents: SharedDocument[] = [];
  for (const range of ranges) {
    const members = membersOf(bytes, range);
    const told = members.get("_federation");
    if (told === undefined) return null;
    const values = JSON.parse(textIn(bytes, told)) as { weightedScoreValues?: unknown } | null;
    const elements = receivedElements(values?.weightedScoreValues);
    if (elements === null) return null;
    members.delete("_federation");
    documents.push({ members, elements });
  }
  return { bytes, documents, total: Number(textIn(bytes, total)) };
}

function writeMerged(lists: readonly List[], offset: number, limit: number, out: ByteSink): void {
  const next = lists.map(() => 0);
  for (let position = 0; position < offset + limit; position++) {
    const first = firstOf(lists, next);
    if (first === -1) return;
    const { bytes, documents } = lists[first]!;
    const { members } = documents[next[first]!++]!;
    if (position < offset) continue;
    if (position > offset) out.byte(0x2c);
    writeDocument(bytes, members, out);
  }
}

/** The list whose next document goes before those of the others; -1 when all are at their end. */
function firstOf(lists: readonly List[], next: readonly number[]): number {
  let first = -1;
  let best: Element[] = [];
  for (const [i, { documents }] of lists.entries()) {
    const elements = documents[next[i]!]?.elements;
    if (elements === undefined || (first !== -1 && compareElements(elements, best, 0, 0) <= 0)) continue;
    first = i;
    best = elements;
  }
  return first;
}

function writeDocument(bytes: Uint8Array, members: ReadonlyMap<string, Range>, out: ByteSink): void {
  out.byte(0x7b);
  let isFirst = true;
  for (const [name, { start, end }] of members) {
    out.utf8(`${isFirst ? "" : ","}${JSON.stringify(name)}:`);
    out.bytes(bytes, start, end);
    isFirst = false;
  }
  out.byte(0x7d);
}

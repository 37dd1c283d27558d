/**
 * The bytes of a request to a reader and of its answer. All numbers are little-endian.
 *
 * ```
 * request   u32 id | u8 kind | u32 header bytes | header: JSON, of a search `search-header.ts` | payload
 * answer    u32 id | u32 body bytes in all | u16 status | u8 flags | u8 content type | u32 marks bytes in all | u32 found | 4 unused | marks, body
 * flags     bit 0: more follows; bits 1 and 2: 0, or the coding of the body; bits 4 to 6: 0, or what is wanted before it is whole
 * ```
 * A long answer comes as several with the same id, in order, each with a piece of marks and body. What a kind means is up to its
 * handler.
 */

import type { Features } from "../../base/contract/features.ts";
import type { FieldsFilter, StatsQuery } from "../../base/contract/indexes.ts";
import type { Federation, IndexQuery, Origin } from "../../base/contract/multi-search.ts";
import type { FacetSearchQuery } from "../../base/contract/search.ts";
import type { WritableSetting } from "../../base/contract/settings.ts";
import type { SimilarQuery } from "../../base/contract/similar.ts";
import type { ErrorBody } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { Json } from "../../base/json/value.ts";
import type { DictionaryName } from "../../base/text/dictionary-memory.ts";
import type { ServerFacts } from "../answer/stats.ts";
import type { SentAsker } from "../ask/asker.ts";
import type { TaskRoute } from "../ask/tasks.ts";
import type { SentScope } from "../auth/scope.ts";
import type { PartCall } from "../parts/questions.ts";
import type { WithPins } from "../pins/pin.ts";
import { CODINGS, type Coding } from "./coding.ts";
import { aligned } from "./copying.ts";
import type { Told } from "./part-asks.ts";
import { decodeSearchHeader, encodeSearchHeader, putNumber, type SearchHeader } from "./search-header.ts";

/** What every search is told besides its query. */
export interface SearchCall {
  /** Milliseconds of the process's own clock (`clockMs`), the same in every thread. */
  arrivedAt: number;
  /** When it was first begun, by the same clock; absent where it is begun now. */
  since?: number;
  /** A search that waited longer is answered 503 instead of being run. */
  dropAfterMs: number;
  requestUid: string;
  includeMetadata: boolean;
  /** Indexes whose documents are shown in the place of their ids, where foreign keys lead to them. */
  hydrates?: readonly string[];
  /** In which the reader is to compress its answer, when that is worth it. */
  coding: Coding | null;
}

/** What a model should know of an index. */
export interface DescribedIndex {
  uid: string;
  description: string;
  isFilterable: boolean;
}

/** An index that lies in shards, as many as that stay as they are. */
export interface DividedIndex {
  uid: string;
  id: string;
}

/** Which request a body belongs to. */
export type AskedRoute = "search" | "facetSearch" | "similar" | "multiSearch" | "documents";

/** What each kind of request says. Payload bytes travel beside it. */
export interface ReaderRequests {
  "documents.list": {
    indexUid: string;
    offset: number;
    limit: number;
    fields: string[] | null;
    ids: string[] | null;
    filter: Json;
    sort: string[] | null;
    retrieveVectors: boolean;
    /** Whether another server will merge the answer with those of others. */
    isShare: boolean;
  };
  "documents.get": { indexUid: string; id: string; fields: string[] | null; retrieveVectors: boolean };
  /** All settings, or the one that is named. */
  settings: { indexUid: string; setting: WritableSetting | null; features: Features };
  fields: { indexUid: string; offset: number; limit: number; filter: FieldsFilter };
  /** Filters of searches hold what a tenant token demands already. */
  search: SearchHeader;
  facetSearch: { indexUid: string; query: FacetSearchQuery; call: SearchCall };
  multiSearch: {
    queries: (IndexQuery & WithPins)[];
    federation: Federation | null;
    /** Null unless remotes are named. */
    origin: Origin | null;
    /** Whether another server will merge the answer with those of others. */
    isShare: boolean;
    call: SearchCall;
  };
  /** Payload: an `OwnShare` as JSON. */
  share: { indexUid: string; call: SearchCall };
  /** Payload: a `SharesPlan` as JSON, then what each server has answered; null stands for this one. */
  merge: {
    indexUid: string;
    planBytes: number;
    shares: { remote: string | null; bytes: number }[];
    /** Of servers that did not answer. */
    errors: Record<string, ErrorBody>;
    call: SearchCall;
  };
  /**
   * Payload: an answer whose hits are to be put in order, then what a service has answered for each of the results. Searches that are to
   * be personalized are answered with what `personal.ts` describes, and want an order.
   */
  order: { indexUid: string; answerBytes: number; orders: { result: number | null; bytes: number }[] };
  /** `tenantFilter`: what hides the document itself from whoever asks; the query's own filter does not. */
  similar: { indexUid: string; query: SimilarQuery; tenantFilter: Json; call: SearchCall };
  /**
   * Payload: vectors that are given, then the body of a request, or its query string, to be read and checked as the front does with shorter ones,
   * and answered. Where vectors are wanted and none given, the answer says for what, and wants vectors: see `query-vectors.ts`. Where other servers have to
   * answer too, it is what `shared-searches.ts` describes, and wants servers. Its marks tell what
   * was asked, see `seen-searches.ts`.
   */
  asked: {
    route: AskedRoute;
    indexUid: string;
    isQuery: boolean;
    asker: SentAsker;
    isShare: boolean;
    call: SearchCall;
    /** Null where none are given. */
    vectorsBytes: number | null;
  };
  /** Payload: the body of a request to render a template. */
  render: { asker: SentAsker };
  /** Payload: documents as JSON. Answer: a list of what the template makes of each. */
  "render.found": { indexUid: string; template: string; bytesMax: number };
  /**
   * Payload: the body of a write. Answer: its task as it is stored, see `base/contract/written-task.ts`. `indexUid` is empty where the path
   * names none.
   */
  "task.read": { route: TaskRoute; indexUid: string };
  /** Payload: the body of a request. Answer: a list of the indexes that it names. */
  "indexes.named": Record<string, never>;
  /** Answer: a list of the indexes that lie in shards, see `DividedIndex`. */
  "indexes.divided": Record<string, never>;
  /** Answer: a page of the indexes that the scope allows. */
  "indexes.list": { scope: SentScope; offset: number; limit: number };
  /** Answer: a list of `DescribedIndex`, of those that the scope allows. */
  "indexes.described": { scope: SentScope };
  /** Answer: an `IndexTotals`. */
  "indexes.totals": Record<string, never>;
  /** Of one index, or, where `indexUid` is empty, of all that the scope allows. */
  stats: { indexUid: string; scope: SentScope; facts: ServerFacts; query: StatsQuery };
  /** Payload: a question, see `parts/questions.ts`. Asked by another server, or by this one for a part that is here. */
  part: PartCall;
  /** Payload: that of another request, whose header is here as well, then what parts have answered that it wanted to ask. */
  told: {
    indexUid: string;
    kind: RequestKind;
    header: ReaderRequests[RequestKind];
    payloadBytes: number;
    /** When it was first begun, by the process's own clock. */
    since: number;
    told: Told;
  };
  /** Payload: the decompressed body. Answer: the encoded payload. */
  "payload.prepare": { format: "json" | "ndjson" | "csv"; delimiter: number };
  /** Makes a dictionary ready for all threads. The answer is empty. */
  "dictionary.load": { dictionary: DictionaryName };
}

export type RequestKind = keyof ReaderRequests;

/** The number of a kind is its place; both ends are the same build. */
const REQUEST_KINDS: readonly RequestKind[] = [
  "documents.list",
  "documents.get",
  "settings",
  "fields",
  "search",
  "facetSearch",
  "multiSearch",
  "share",
  "merge",
  "order",
  "similar",
  "asked",
  "render",
  "render.found",
  "task.read",
  "indexes.named",
  "indexes.divided",
  "indexes.list",
  "indexes.described",
  "indexes.totals",
  "stats",
  "part",
  "told",
  "payload.prepare",
  "dictionary.load",
];

export const CONTENT_TYPES = ["application/json", "application/octet-stream", "application/x-ndjson"] as const;

type ContentType = (typeof CONTENT_TYPES)[number];

export interface Request<K extends RequestKind = RequestKind> {
  id: number;
  kind: K;
  header: ReaderRequests[K];
  payload: Uint8Array;
}

let encoded = new ByteSink();
/** Memory for a longer request is not kept for the next one. */
const KEPT_BYTES_MAX = 64 * 1024;

/** Everything of a request but its payload; good until the next one is encoded. */
export function encodeRequest<K extends RequestKind>(id: number, kind: K, header: ReaderRequests[K]): Uint8Array {
  if (encoded.buffer.length > KEPT_BYTES_MAX) encoded = new ByteSink();
  encoded.reset();
  encoded.u32(id);
  encoded.byte(REQUEST_KINDS.indexOf(kind));
  encoded.u32(0);
  if (kind === "search") encodeSearchHeader(header as SearchHeader, encoded);
  else encoded.utf8(JSON.stringify(header));
  putNumber(encoded.buffer, HEADER_LENGTH_AT, encoded.length - REQUEST_HEAD_BYTES, 4);
  return encoded.view();
}

const HEADER_LENGTH_AT = 5;
const REQUEST_HEAD_BYTES = 9;
const NOTHING = new Uint8Array(0);

export function requestId(bytes: Buffer): number {
  return bytes.readUInt32LE(0);
}

export function decodeRequest(bytes: Buffer): Request {
  const kind = REQUEST_KINDS[bytes[4]!];
  if (kind === undefined) throw new RangeError(`unknown kind of request ${bytes[4]}`);
  const end = REQUEST_HEAD_BYTES + bytes.readUInt32LE(HEADER_LENGTH_AT);
  const header =
    kind === "search"
      ? decodeSearchHeader(bytes, REQUEST_HEAD_BYTES, end)
      : JSON.parse(bytes.toString("utf8", REQUEST_HEAD_BYTES, end));
  return { id: requestId(bytes), kind, header, payload: end === bytes.length ? NOTHING : bytes.subarray(end) };
}

/**
 * What a reader leaves to the front, by its number between threads:
 * - `vector`: the search was answered by words alone, and would be better with a vector;
 * - `vectors`: the queries of a body need theirs before they can be answered;
 * - `servers`, `serversEach`: several servers have to answer, with one result or with a list of them;
 * - `order`: the hits are to be put into the order of whoever asks;
 * - `parts`: parts of an index are to be asked first, see `part-asks.ts`.
 */
export const WANTS = ["vector", "vectors", "servers", "serversEach", "order", "parts"] as const;
export type Want = (typeof WANTS)[number];

/** What is said of an answer besides its bytes; what is absent is as if it were null. */
export interface AnswerHead {
  status: number;
  contentType: ContentType;
  /** Null for a body that is not compressed. */
  coding?: Coding | null;
  /** What the front is told about the body; null when there is nothing to tell, and the answer cannot be given again. */
  marks?: Uint8Array | null;
  /** Documents that one search has found; null for all else. */
  found?: number | null;
  /** Null for an answer that is whole. */
  wants?: Want | null;
}

/**
 * Of a request that nobody waits for any more: readers answer everything they are sent. No client sees the status, but it is
 * counted, and is that of other servers for a client that is gone.
 */
export const CANCELED: AnswerHead = { status: 499, contentType: "application/json" };

interface AnswerPiece extends Required<Omit<AnswerHead, "marks">> {
  id: number;
  bodyBytes: number;
  marksBytes: number;
  more: boolean;
  /** Of marks and body, end to end. */
  piece: Buffer;
}

/** What follows, marks or a body, is copied to and from shared memory. */
const ANSWER_HEAD_BYTES = aligned(20);
const FOUND_UNKNOWN = 0xffffffff;
const FLAG_MORE = 1;
const CODING_SHIFT = 1;
const CODING_MASK = 3;
const WANTS_SHIFT = 4;

/** All of an answer but its body, which is to follow. */
export function encodeAnswer(id: number, bodyBytes: number, answer: AnswerHead): Buffer {
  const { marks = null } = answer;
  const bytes = Buffer.allocUnsafe(ANSWER_HEAD_BYTES + (marks?.length ?? 0));
  writeAnswerHead(bytes, id, bodyBytes, false, answer);
  if (marks !== null) bytes.set(marks, ANSWER_HEAD_BYTES);
  return bytes;
}

/** What stands before a piece of a long one. */
export function encodePieceHead(id: number, bodyBytes: number, more: boolean, answer: AnswerHead): Buffer {
  const bytes = Buffer.allocUnsafe(ANSWER_HEAD_BYTES);
  writeAnswerHead(bytes, id, bodyBytes, more, answer);
  return bytes;
}

function writeAnswerHead(
  head: Buffer,
  id: number,
  bodyBytes: number,
  more: boolean,
  { status, contentType, coding = null, marks = null, found = null, wants = null }: AnswerHead,
): void {
  head.writeUInt32LE(id, 0);
  head.writeUInt32LE(bodyBytes, 4);
  head.writeUInt16LE(status, 8);
  const codingFlags = coding === null ? 0 : (CODINGS.indexOf(coding) + 1) << CODING_SHIFT;
  const wantsFlags = wants === null ? 0 : (WANTS.indexOf(wants) + 1) << WANTS_SHIFT;
  head[10] = (more ? FLAG_MORE : 0) | codingFlags | wantsFlags;
  head[11] = CONTENT_TYPES.indexOf(contentType);
  head.writeUInt32LE(marks?.length ?? 0, 12);
  head.writeUInt32LE(found ?? FOUND_UNKNOWN, 16);
}

export function decodeAnswer(bytes: Buffer): AnswerPiece {
  const found = bytes.readUInt32LE(16);
  const flags = bytes[10]!;
  return {
    id: bytes.readUInt32LE(0),
    bodyBytes: bytes.readUInt32LE(4),
    marksBytes: bytes.readUInt32LE(12),
    status: bytes.readUInt16LE(8),
    more: (flags & FLAG_MORE) !== 0,
    coding: CODINGS[((flags >>> CODING_SHIFT) & CODING_MASK) - 1] ?? null,
    wants: WANTS[(flags >>> WANTS_SHIFT) - 1] ?? null,
    contentType: CONTENT_TYPES[bytes[11]!] ?? "application/json",
    found: found === FOUND_UNKNOWN ? null : found,
    piece: bytes.subarray(ANSWER_HEAD_BYTES),
  };
}

/**
 * What a search is told, as bytes: the most frequent header of all, so its numbers are not told in JSON, and its query is
 * told without what it leaves at the default. All numbers are little-endian.
 *
 * ```
 * f64 arrived at | f64 drop after | u8 flags | u8 uid bytes | u16 index uid bytes | u32 query bytes
 * uid | index uid | query: JSON | hydrates: JSON, or nothing
 * flags   bit 0: with metadata; the others: 0, or the coding of the answer
 * ```
 */
import { type SearchQuery, saidText, withDefaults } from "../../base/contract/search.ts";
import type { ByteSink } from "../../base/json/bytes.ts";
import type { WithPins } from "../pins/pin.ts";
import { CODINGS } from "./coding.ts";
import type { SearchCall } from "./requests.ts";

export interface SearchHeader {
  indexUid: string;
  query: SearchQuery & WithPins;
  call: SearchCall;
  /** The `saidText` of the query, from who has it already; it is not told. */
  said?: string;
}

const FLAGS = 16;
const UID_BYTES = 17;
const INDEX_UID_BYTES = 18;
const QUERY_BYTES = 20;
const FIXED_BYTES = 24;
const WITH_METADATA = 1;
const CODING_SHIFT = 1;

const times = new Float64Array(2);
const timeBytes = new Uint8Array(times.buffer);

/** Appends it. */
export function encodeSearchHeader({ call, indexUid, query, said }: SearchHeader, out: ByteSink): void {
  const at = out.length;
  times[0] = call.arrivedAt;
  times[1] = call.dropAfterMs;
  out.bytes(timeBytes);
  const coding = call.coding === null ? 0 : CODINGS.indexOf(call.coding) + 1;
  out.byte((call.includeMetadata ? WITH_METADATA : 0) | (coding << CODING_SHIFT));
  // Lengths are written when the texts are.
  out.reserve(FIXED_BYTES);
  out.length = at + FIXED_BYTES;
  out.utf8(call.requestUid);
  const indexUidAt = out.length;
  out.utf8(indexUid);
  const queryAt = out.length;
  out.utf8(said ?? saidText(query));
  const { buffer } = out;
  buffer[at + UID_BYTES] = indexUidAt - at - FIXED_BYTES;
  putNumber(buffer, at + INDEX_UID_BYTES, queryAt - indexUidAt, 2);
  putNumber(buffer, at + QUERY_BYTES, out.length - queryAt, 4);
  if (call.hydrates !== undefined) out.utf8(JSON.stringify(call.hydrates));
}

/** Little-endian, in so many bytes. */
export function putNumber(into: Uint8Array, at: number, value: number, bytes: number): void {
  for (let i = 0; i < bytes; i++) into[at + i] = value >>> (8 * i);
}

/** Of the bytes from `at` to `end`. */
export function decodeSearchHeader(bytes: Buffer, at: number, end: number): SearchHeader {
  timeBytes.set(bytes.subarray(at, at + timeBytes.length));
  const flags = bytes[at + FLAGS]!;
  const uidAt = at + FIXED_BYTES;
  const indexUidAt = uidAt + bytes[at + UID_BYTES]!;
  const queryAt = indexUidAt + bytes.readUInt16LE(at + INDEX_UID_BYTES);
  const queryEnd = queryAt + bytes.readUInt32LE(at + QUERY_BYTES);
  const said: Partial<SearchQuery & WithPins> = JSON.parse(bytes.toString("utf8", queryAt, queryEnd));
  const call: SearchCall = {
    arrivedAt: times[0]!,
    dropAfterMs: times[1]!,
    requestUid: bytes.toString("utf8", uidAt, indexUidAt),
    includeMetadata: (flags & WITH_METADATA) !== 0,
    coding: CODINGS[(flags >>> CODING_SHIFT) - 1] ?? null,
  };
  if (queryEnd < end) call.hydrates = JSON.parse(bytes.toString("utf8", queryEnd, end));
  return { indexUid: bytes.toString("utf8", indexUidAt, queryAt), query: withDefaults(said), call };
}

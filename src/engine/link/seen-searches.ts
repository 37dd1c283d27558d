/**
 * What readers tell the front of the searches they answered, for whoever counts them, as marks of an answer.
 *
 * ```
 * of several searches      f64 found, or -1 | f64 milliseconds        … each, in their order
 * of a body read there     u32 bytes of the parameters | parameters used | u32 bytes | a search: JSON        … each
 * ```
 */
import { decodeUsed, encodeUsed, type UsedParameters } from "../ask/used-parameters.ts";

/** How one search went. */
export interface Seen {
  /** Documents found; null where that is not known of this search alone. */
  found: number | null;
  /** Null for as long as the whole request took. */
  ms: number | null;
}

export interface SeenQuery extends Seen {
  indexUid: string;
  q: string | null;
}

const UNKNOWN = -1;
const LENGTH_BYTES = 4;

export function encodeSeen(searches: readonly Seen[]): Uint8Array {
  const numbers = searches.flatMap(({ found, ms }) => [found ?? UNKNOWN, ms ?? UNKNOWN]);
  return Buffer.from(Float64Array.from(numbers).buffer);
}

export function decodeSeen(bytes: Uint8Array): Seen[] {
  const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
  return Array.from({ length: numbers.length / 2 }, (_, i) => ({
    found: knownOrNull(numbers[2 * i]!),
    ms: knownOrNull(numbers[2 * i + 1]!),
  }));
}

function knownOrNull(value: number): number | null {
  return value === UNKNOWN ? null : value;
}

/** What was asked in a body that another thread has read. */
interface AskedSearches {
  used: UsedParameters;
  /** Each is read when it is its turn: there may be thousands. */
  searches: Iterable<SeenQuery>;
}

export function encodeAsked({ used, searches }: AskedSearches): Uint8Array {
  const pieces = [withLength(encodeUsed(used))];
  for (const search of searches) pieces.push(withLength(Buffer.from(JSON.stringify(search))));
  return Buffer.concat(pieces.flat());
}

function withLength(bytes: Uint8Array): [length: Uint8Array, bytes: Uint8Array] {
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}

export function decodeAsked(bytes: Buffer): AskedSearches {
  const end = LENGTH_BYTES + bytes.readUInt32LE(0);
  return { used: decodeUsed(bytes.subarray(LENGTH_BYTES, end)), searches: searchesIn(bytes, end) };
}

function* searchesIn(bytes: Buffer, from: number): Generator<SeenQuery> {
  for (let at = from; at < bytes.length; ) {
    const begin = at + LENGTH_BYTES;
    at = begin + bytes.readUInt32LE(at);
    yield JSON.parse(bytes.toString("utf8", begin, at)) as SeenQuery;
  }
}

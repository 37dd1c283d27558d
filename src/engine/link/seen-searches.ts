/**
 * What readers tell the front of the searches they answered, for whoever counts them, as marks of an answer.
 *
 * ```
 * of several searches      f64 found, or -1 | f64 milliseconds        … each, in their order
 * of a body read there     u32 bytes of the parameters | parameters used | searches: JSON
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

interface SeenQuery extends Seen {
  indexUid: string;
  q: string | null;
}

const UNKNOWN = -1;

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
  searches: readonly SeenQuery[];
}

export function encodeAsked({ used, searches }: AskedSearches): Uint8Array {
  const parameters = encodeUsed(used);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(parameters.length);
  return Buffer.concat([length, parameters, Buffer.from(JSON.stringify(searches))]);
}

export function decodeAsked(bytes: Buffer): AskedSearches {
  const end = 4 + bytes.readUInt32LE(0);
  return {
    used: decodeUsed(bytes.subarray(4, end)),
    searches: JSON.parse(bytes.toString("utf8", end)) as SeenQuery[],
  };
}

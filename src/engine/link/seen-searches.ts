/**
 * What readers tell the front of the searches they answered, for whoever counts them, as marks of an answer.
 *
 * ```
 * of several searches      f64 found, or -1 | f64 milliseconds        … each, in their order
 * of a body read there     a frame, see `framed.ts`, with the parameters used | a frame with a search as its head        … each
 * ```
 */
import { decodeUsed, encodeUsed, type UsedParameters } from "../ask/used-parameters.ts";
import { encodeFrame, framesIn } from "./framed.ts";

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
const NOTHING = new Uint8Array(0);

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
  const frames = [encodeFrame({}, encodeUsed(used))];
  for (const search of searches) frames.push(encodeFrame(search, NOTHING));
  return Buffer.concat(frames.flat());
}

export function decodeAsked(bytes: Buffer): AskedSearches {
  const frames = framesIn<SeenQuery>(bytes);
  const { piece } = frames.next().value!;
  return { used: decodeUsed(piece), searches: searchesIn(frames) };
}

function* searchesIn(frames: ReturnType<typeof framesIn<SeenQuery>>): Generator<SeenQuery> {
  for (const { head } of frames) yield head;
}

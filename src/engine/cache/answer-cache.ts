/**
 * The cache of search answers. The same query to the same content and settings version of an index has the same answer but for the
 * time it took and the uid of the request: those two are rewritten in place. Answers that were not asked for lately are
 * evicted first.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type SearchQuery, saidText } from "../../base/contract/search.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Coding } from "../link/coding.ts";
import type { SearchCall } from "../link/requests.ts";
import type { WithPins } from "../pins/pin.ts";
import { ByteStore } from "./byte-store.ts";
import { type CachedAnswer, refreshed } from "./cached-answer.ts";

/** A longer query (a long list of ids) is hardly sent twice. */
const ASKED_LENGTH_MAX = 64 * 1024;
/** One longer than this, a vector say, is known by its hash. */
const HASHED_LENGTH = 1024;
/** Longer answers get memory of their own instead of the buffer that `lend` uses again and again. */
const LENT_BYTES_MAX = 64 * 1024;

/** Whether its answers differ in `processingTimeMs` and `requestUid` only: performance details and metadata differ every time. */
export function isRepeatable(
  { showPerformanceDetails }: Pick<SearchQuery, "showPerformanceDetails">,
  { includeMetadata }: Pick<SearchCall, "includeMetadata">,
): boolean {
  return !showPerformanceDetails && !includeMetadata;
}

export type GivenAnswer = Pick<CachedAnswer, "body" | "coding" | "found">;

export class AnswerCache {
  readonly #bytesMax: number;
  readonly #store: ByteStore<Omit<CachedAnswer, "body">>;
  #lent: Buffer | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#store = new ByteStore(bytesMax);
  }

  /** What a query, `asked` in these words, is known by whatever index is asked; null for one whose answer is not kept. */
  nameOf(query: SearchQuery & WithPins, call: SearchCall, asked = saidText(query)): string | null {
    if (this.#bytesMax === 0 || !isRepeatable(query, call)) return null;
    if (asked.length > ASKED_LENGTH_MAX) return null;
    return asked.length > HASHED_LENGTH ? createHash("sha256").update(asked).digest("base64") : asked;
  }

  /** What the answer in one coding is known by; null where it also depends on other indexes, or has no name. */
  keyOf(
    view: IndexView,
    name: string | null,
    call: Pick<SearchCall, "hydrates">,
    coding: Coding | null,
  ): string | null {
    if (name === null || (call.hydrates !== undefined && view.settings.foreignKeys.length > 0)) return null;
    return `${coding} ${view.id}/${view.contentVersion}/${view.settingsVersion} ${name}`;
  }

  /** The answer, as given now; null when there is none. */
  find(key: string, requestUid: string, elapsedMs: number): GivenAnswer | null {
    return this.#give(key, requestUid, elapsedMs, Buffer.allocUnsafe);
  }

  /** The same for who uses the bytes at once: the next one lent may stand in the same place. */
  lend(key: string, requestUid: string, elapsedMs: number): GivenAnswer | null {
    return this.#give(key, requestUid, elapsedMs, (length) => {
      if (length > LENT_BYTES_MAX) return Buffer.allocUnsafe(length);
      this.#lent ??= Buffer.allocUnsafeSlow(LENT_BYTES_MAX);
      return this.#lent.subarray(0, length);
    });
  }

  #give(key: string, requestUid: string, elapsedMs: number, room: (length: number) => Buffer): GivenAnswer | null {
    const stored = this.#store.get(key);
    if (stored === null) return null;
    const { bytes, note } = stored;
    const body = refreshed(bytes, note, String(Math.floor(elapsedMs)), requestUid, room);
    return { body, coding: note.coding, found: note.found };
  }

  /** The bytes are copied. */
  keep(key: string, { body, coding, timeAt, timeEnd, uidAt, sums, found }: CachedAnswer): void {
    this.#store.keep(key, body, { coding, timeAt, timeEnd, uidAt, sums, found });
  }
}

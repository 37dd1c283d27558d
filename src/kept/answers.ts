/**
 * Searches answered lately. The same question to the same state of an index has the same answer, except for the time it
 * took and the number it is known by: those two are written anew. What was asked least recently is forgotten first.
 */
import { createHash } from "node:crypto";
import { type SearchQuery, withoutDefaults } from "../contract/search.ts";
import type { IndexView } from "../index/view.ts";
import type { Coding } from "../link/coding.ts";
import type { SearchCall } from "../link/requests.ts";
import type { WithPins } from "../pins/pin.ts";
import { type KeptAnswer, renewed } from "./answer.ts";

/** A longer question (a long list of ids) is hardly asked twice. */
const ASKED_LENGTH_MAX = 64 * 1024;
/** One longer than this, a vector say, is known by its hash. */
const HASHED_LENGTH = 1024;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 320;

/** Whether answers to it differ in time and number only: what is told besides is different every time. */
export function isRepeatable(
  { showPerformanceDetails }: Pick<SearchQuery, "showPerformanceDetails">,
  { includeMetadata }: Pick<SearchCall, "includeMetadata">,
): boolean {
  return !showPerformanceDetails && !includeMetadata;
}

export class KeptAnswers {
  readonly #bytesMax: number;
  /** Most recently asked last. */
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What a query is known by, for answers in one coding; null for one whose answer is not kept. */
  keyOf(view: IndexView, query: SearchQuery & WithPins, call: SearchCall, coding: Coding | null): string | null {
    if (this.#bytesMax === 0 || !isRepeatable(query, call)) return null;
    if (call.hydrates !== undefined && view.settings.foreignKeys.length > 0) return null;
    const asked = JSON.stringify({ ...withoutDefaults(query), pins: query.pins });
    if (asked.length > ASKED_LENGTH_MAX) return null;
    const name = asked.length > HASHED_LENGTH ? createHash("sha256").update(asked).digest("base64") : asked;
    return `${coding} ${view.id}/${view.version}/${view.settingsVersion} ${name}`;
  }

  /** The answer, as given now; null when there is none. */
  find(key: string, requestUid: string, elapsedMs: number): Pick<KeptAnswer, "body" | "coding"> | null {
    const known = this.#answers.get(key);
    if (known === undefined) return null;
    this.#answers.delete(key);
    this.#answers.set(key, known);
    return { body: renewed(known, String(Math.floor(elapsedMs)), requestUid), coding: known.coding };
  }

  /** The bytes are copied. */
  keep(key: string, answer: KeptAnswer): void {
    const bytes = sizeOf(key, answer);
    if (bytes > this.#bytesMax / 8 || this.#answers.has(key)) return;
    this.#answers.set(key, { ...answer, body: new Uint8Array(answer.body) });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#answers) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#answers.delete(oldest);
      this.#bytes -= sizeOf(oldest, kept);
    }
  }
}

function sizeOf(key: string, { body }: KeptAnswer): number {
  return ENTRY_BYTES + 2 * key.length + body.length;
}

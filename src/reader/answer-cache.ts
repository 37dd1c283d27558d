/**
 * Searches answered lately. The same question to the same state of an index has the same answer, except for the time it
 * took and the number it is known by: those two are written anew. What was asked least recently is forgotten first.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { SearchAnswer } from "../answer/search.ts";
import { type SearchQuery, withoutDefaults } from "../contract/search.ts";
import type { IndexView } from "../index/view.ts";
import type { SearchCall } from "../link/requests.ts";
import type { WithPins } from "../pins/pin.ts";

/** A longer question (a long list of ids) is hardly asked twice. */
const ASKED_LENGTH_MAX = 64 * 1024;
/** One longer than this, a vector say, is known by its hash. */
const HASHED_LENGTH = 1024;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 256;

export class AnswerCache {
  readonly #bytesMax: number;
  /** Most recently asked last. */
  readonly #answers = new Map<string, SearchAnswer>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What a query is known by; null for one whose answer is not kept. */
  keyOf(view: IndexView, query: SearchQuery & WithPins, call: SearchCall): string | null {
    if (this.#bytesMax === 0 || query.showPerformanceDetails || call.includeMetadata) return null;
    if (call.hydrates !== undefined && view.settings.foreignKeys.length > 0) return null;
    const asked = JSON.stringify({ ...withoutDefaults(query), pins: query.pins });
    if (asked.length > ASKED_LENGTH_MAX) return null;
    const name = asked.length > HASHED_LENGTH ? createHash("sha256").update(asked).digest("base64") : asked;
    return `${view.id}/${view.version}/${view.settingsVersion} ${name}`;
  }

  /** The answer, as given now; null when there is none. */
  find(key: string, requestUid: string, elapsedMs: number): Uint8Array | null {
    const known = this.#answers.get(key);
    if (known === undefined) return null;
    this.#answers.delete(key);
    this.#answers.set(key, known);
    const { body, timeAt, timeEnd, uidAt } = known;
    const time = String(Math.floor(elapsedMs));
    const moved = time.length - (timeEnd - timeAt);
    const answer = Buffer.allocUnsafe(body.length + moved);
    answer.set(body.subarray(0, timeAt));
    answer.write(time, timeAt, "latin1");
    answer.set(body.subarray(timeEnd), timeAt + time.length);
    answer.write(requestUid, uidAt + moved, "latin1");
    return answer;
  }

  keep(key: string, answer: SearchAnswer): void {
    const bytes = sizeOf(key, answer);
    if (bytes > this.#bytesMax / 8 || this.#answers.has(key)) return;
    this.#answers.set(key, { ...answer, body: answer.body.slice() });
    this.#bytes += bytes;
    for (const [oldest, { body }] of this.#answers) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#answers.delete(oldest);
      this.#bytes -= sizeOf(oldest, { body });
    }
  }
}

function sizeOf(key: string, { body }: Pick<SearchAnswer, "body">): number {
  return ENTRY_BYTES + 2 * key.length + body.length;
}

/**
 * Cache keys by the exact text of a request. Parsing a query and computing its key takes longer than copying a cached
 * answer; a request with the same text as an earlier one skips both. Only texts that mean the same whoever sends them
 * may be kept here.
 */

/** A longer text is hardly sent twice. */
export const REQUEST_TEXT_LENGTH_MAX = 512;
const REQUESTS_MAX = 4096;

interface RequestKey {
  /** What it is known by among the cached answers. */
  name: string;
  /** Which parameters it uses, and its words, for whoever counts them. */
  parameters: number;
  q: string | null;
}

export class RequestKeyCache {
  readonly #keys = new Map<string, RequestKey>();
  /** The flags under which they were found to be in order. */
  #flags: object | null = null;

  /** Null for a text that is not known. */
  find(text: string, flags: object): RequestKey | null {
    return this.#flags === flags ? (this.#keys.get(text) ?? null) : null;
  }

  remember(text: string, key: RequestKey, flags: object): void {
    if (text.length > REQUEST_TEXT_LENGTH_MAX) return;
    if (this.#flags !== flags || this.#keys.size >= REQUESTS_MAX) this.#keys.clear();
    this.#flags = flags;
    this.#keys.set(text, key);
  }
}

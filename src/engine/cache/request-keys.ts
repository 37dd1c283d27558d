/**
 * Questions by the very text they were asked in. Reading a query and finding out what it is known by takes longer than
 * giving a kept answer; whoever asks in the same words again is spared both. Only texts that mean the same whoever sends
 * them belong here.
 */

/** A longer text is hardly sent twice. */
export const QUESTION_LENGTH_MAX = 512;
const QUESTIONS_MAX = 4096;

interface RequestKey {
  /** What it is known by among the kept answers. */
  name: string;
  /** Which parameters it uses, and its words, for whoever counts them. */
  parameters: number;
  q: string | null;
}

export class RequestKeyCache {
  readonly #questions = new Map<string, RequestKey>();
  /** The flags under which they were found to be in order. */
  #flags: object | null = null;

  /** Null for a question that is not known. */
  find(text: string, flags: object): RequestKey | null {
    return this.#flags === flags ? (this.#questions.get(text) ?? null) : null;
  }

  remember(text: string, question: RequestKey, flags: object): void {
    if (text.length > QUESTION_LENGTH_MAX) return;
    if (this.#flags !== flags || this.#questions.size >= QUESTIONS_MAX) this.#questions.clear();
    this.#flags = flags;
    this.#questions.set(text, question);
  }
}

/**
 * Questions by the very text they were asked in. Reading a query and finding out what it is known by takes longer than
 * giving a kept answer; whoever asks in the same words again is spared both. Only texts that mean the same whoever sends
 * them belong here.
 */

/** A longer text is hardly sent twice. */
export const QUESTION_LENGTH_MAX = 512;
const QUESTIONS_MAX = 4096;

export class KnownQuestions {
  readonly #names = new Map<string, string>();
  /** The flags under which they were found to be in order. */
  #flags: object | null = null;

  /** What the question is known by among the kept answers; null for one that is not known. */
  nameOf(text: string, flags: object): string | null {
    return this.#flags === flags ? (this.#names.get(text) ?? null) : null;
  }

  remember(text: string, name: string, flags: object): void {
    if (text.length > QUESTION_LENGTH_MAX) return;
    if (this.#flags !== flags || this.#names.size >= QUESTIONS_MAX) this.#names.clear();
    this.#flags = flags;
    this.#names.set(text, name);
  }
}

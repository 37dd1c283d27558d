/** Answers come in any order. One that was asked for before what is already shown is of no interest. */

export class Latest {
  #asked = 0;
  #shown = 0;

  /** Gives the number of a question. */
  ask(): number {
    return ++this.#asked;
  }

  /** Whether its answer is to be shown; true only for answers to later questions than those shown so far. */
  admits(question: number): boolean {
    if (question <= this.#shown) return false;
    this.#shown = question;
    return true;
  }

  /** Whether nothing was asked since. */
  isLast(question: number): boolean {
    return question === this.#asked;
  }
}

/** Whether a value begins with a query, give or take a few typos. Plain strings; knows nothing of indexes. */

/**
 * A value is read character by character and judged at the first beginning of it that is near enough and that no shorter
 * beginning of the query is nearer to; without one, as a whole. Neighbouring letters swapped count as one typo.
 */
export class TypoPrefix {
  readonly #query: string;
  readonly #typos: number;
  readonly #pattern: readonly number[];
  /** Distances of every beginning of the query to the value read so far, to one and to two characters less of it. */
  #rows: [Uint16Array, Uint16Array, Uint16Array];

  constructor(query: string, typos: number) {
    this.#query = query;
    this.#typos = typos;
    this.#pattern = Array.from(query, (character) => character.codePointAt(0)!);
    const row = (): Uint16Array => new Uint16Array(this.#pattern.length + 1);
    this.#rows = [row(), row(), row()];
  }

  matches(value: string): boolean {
    if (this.#typos === 0) return value.startsWith(this.#query);
    const pattern = this.#pattern;
    const typos = this.#typos;
    const length = pattern.length;
    let [current, previous, before] = this.#rows;
    for (let j = 0; j <= length; j++) current[j] = j;
    let least = 0;
    let leastBefore = 0;
    let lastPoint = -1;
    for (let at = 0, read = 1; at < value.length; read++) {
      if (current[length]! <= typos && least >= current[length]!) return true;
      const point = value.codePointAt(at)!;
      at += point > 0xffff ? 2 : 1;
      [current, previous, before] = [before, current, previous];
      leastBefore = least;
      least = read;
      current[0] = read;
      for (let j = 1; j <= length; j++) {
        let distance = previous[j - 1]! + (pattern[j - 1] === point ? 0 : 1);
        distance = Math.min(distance, previous[j]! + 1, current[j - 1]! + 1);
        if (j > 1 && read > 1 && pattern[j - 1] === lastPoint && pattern[j - 2] === point) {
          distance = Math.min(distance, before[j - 2]! + 1);
        }
        current[j] = distance;
        if (distance < least) least = distance;
      }
      lastPoint = point;
      if (least > typos && leastBefore > typos) return false;
    }
    return current[length]! <= typos;
  }
}

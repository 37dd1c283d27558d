/**
 * A list of field names, each of which stands for all fields below it as well, looked up by the parts of a field's name instead
 * of one by one: lists and documents may both have tens of thousands of names.
 */

export class NameTree {
  readonly #positions = new Map<string, number>();
  /** What lies above a name. */
  readonly #above = new Set<string>();

  constructor(names: Iterable<readonly [string, number]>) {
    for (const [name, position] of names) {
      if (this.#positions.has(name)) continue;
      this.#positions.set(name, position);
      for (let end = name.indexOf("."); end !== -1; end = name.indexOf(".", end + 1))
        this.#above.add(name.slice(0, end));
    }
  }

  /** Position of the first name that is the field, or lies above it; -1 when there is none. */
  find(field: string): number {
    let least = this.#positions.get(field) ?? -1;
    for (let end = field.indexOf("."); end !== -1; end = field.indexOf(".", end + 1)) {
      const position = this.#positions.get(field.slice(0, end));
      if (position !== undefined && (least < 0 || position < least)) least = position;
    }
    return least;
  }

  covers(field: string): boolean {
    return this.find(field) >= 0;
  }

  /** Whether a name is the field, or lies below it. */
  reaches(field: string): boolean {
    return this.#positions.has(field) || this.isAbove(field);
  }

  /** Whether a name lies below the field. */
  isAbove(field: string): boolean {
    return this.#above.has(field);
  }
}

const trees = new WeakMap<readonly string[], NameTree>();

/** The tree of a list that does not change; it is made once. */
export function nameTree(names: readonly string[]): NameTree {
  let tree = trees.get(names);
  if (tree === undefined) {
    tree = new NameTree(names.map((name, position) => [name, position] as const));
    trees.set(names, tree);
  }
  return tree;
}

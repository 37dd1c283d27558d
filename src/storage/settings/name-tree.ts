/**
 * A list of field names, each of which stands for all fields below it as well, looked up part by part instead of one by one: lists
 * and documents may both have tens of thousands of names, and a name that somebody made up thousands of parts.
 */

class Part {
  /** Of the name that ends here; -1 when none does. */
  position = -1;
  below: Map<string, Part> | null = null;
}

export class NameTree {
  readonly #root = new Part();

  constructor(names: Iterable<readonly [string, number]>) {
    for (const [name, position] of names) {
      let part = this.#root;
      for (const text of partsOf(name)) {
        part.below ??= new Map();
        let next = part.below.get(text);
        if (next === undefined) {
          next = new Part();
          part.below.set(text, next);
        }
        part = next;
      }
      if (part.position < 0) part.position = position;
    }
  }

  /** Position of the first name that is the field, or lies above it; -1 when there is none. */
  find(field: string): number {
    let least = -1;
    let part = this.#root;
    for (const text of partsOf(field)) {
      const next = part.below?.get(text);
      if (next === undefined) break;
      if (next.position >= 0 && (least < 0 || next.position < least)) least = next.position;
      part = next;
    }
    return least;
  }

  covers(field: string): boolean {
    return this.find(field) >= 0;
  }

  /** Whether a name is the field. */
  has(field: string): boolean {
    return (this.#part(field)?.position ?? -1) >= 0;
  }

  /** Whether a name is the field, or lies below it. */
  reaches(field: string): boolean {
    return this.#part(field) !== null;
  }

  /** Whether a name lies below the field. */
  isAbove(field: string): boolean {
    return (this.#part(field)?.below ?? null) !== null;
  }

  #part(field: string): Part | null {
    let part: Part | undefined = this.#root;
    for (const text of partsOf(field)) {
      part = part.below?.get(text);
      if (part === undefined) return null;
    }
    return part;
  }
}

/** One by one: most names are looked for in vain, and after their first part nothing more of them is looked at. */
function* partsOf(name: string): Generator<string> {
  let start = 0;
  for (let end = name.indexOf("."); end !== -1; end = name.indexOf(".", start)) {
    yield name.slice(start, end);
    start = end + 1;
  }
  yield start === 0 ? name : name.slice(start);
}

const trees = new WeakMap<readonly string[], NameTree>();

/** The tree of a list that does not change; it is made once. */
export function nameTree(names: readonly string[]): NameTree {
  let tree = trees.get(names);
  if (tree === undefined) {
    tree = newNameTree(names);
    trees.set(names, tree);
  }
  return tree;
}

/** The tree of a list that nobody will ask about again: to remember it costs more than to make it. */
export function newNameTree(names: readonly string[]): NameTree {
  return new NameTree(names.map((name, position) => [name, position] as const));
}

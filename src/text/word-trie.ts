// A dictionary as a trie in flat arrays: which words begin at this place of a text? Immutable once built.
//
//   node        0    1   2   3          Nodes are numbered breadth-first, so the children of a node
//   label       -    a   b   c          are neighbours, sorted by label:
//   children   [1    3   …]             children of n = nodes firstChild[n] .. firstChild[n + 1] - 1

export const ROOT = 0;

export class WordTrie {
  private readonly labels: Uint16Array;
  private readonly firstChild: Int32Array;
  private readonly values: Uint32Array;
  /** Child of the root for every unit, 0 if none: the root is too wide to search. */
  private readonly rootChild = new Int32Array(0x10000);

  /** `words` sorted by UTF-16 unit, without duplicates; `values` above 0, all 1 by default. */
  constructor(words: readonly string[], values?: ArrayLike<number>) {
    const nodes = countNodes(words);
    this.labels = new Uint16Array(nodes);
    this.firstChild = new Int32Array(nodes + 1);
    this.values = new Uint32Array(nodes);
    this.build(words, values, nodes);
    for (let node = this.firstChild[ROOT]!; node < this.firstChild[ROOT + 1]!; node++) {
      this.rootChild[this.labels[node]!] = node;
    }
  }

  /** The node one unit further, or 0 if no word goes on like this. */
  child(node: number, unit: number): number {
    if (node === ROOT) return this.rootChild[unit]!;
    let low = this.firstChild[node]!;
    let high = this.firstChild[node + 1]! - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const label = this.labels[middle]!;
      if (label === unit) return middle;
      if (label < unit) low = middle + 1;
      else high = middle - 1;
    }
    return 0;
  }

  /** Value of the word that ends at a node, 0 if none does. */
  value(node: number): number {
    return this.values[node]!;
  }

  has(text: string, start: number, end: number): boolean {
    let node = ROOT;
    for (let at = start; at < end; at++) {
      node = this.child(node, text.charCodeAt(at));
      if (node === 0) return false;
    }
    return this.values[node]! > 0;
  }

  /** End of the longest word that begins at `start`, or -1. */
  longest(text: string, start: number, end: number): number {
    let node = ROOT;
    let found = -1;
    for (let at = start; at < end; at++) {
      node = this.child(node, text.charCodeAt(at));
      if (node === 0) break;
      if (this.values[node]! > 0) found = at + 1;
    }
    return found;
  }

  /** Visits nodes in order of number; each stands for the words [low, high) that share its `depth` first units. */
  private build(words: readonly string[], values: ArrayLike<number> | undefined, nodes: number): void {
    const low = new Int32Array(nodes);
    const high = new Int32Array(nodes);
    const depths = new Uint8Array(nodes);
    high[ROOT] = words.length;
    let next = 1;
    for (let node = 0; node < nodes; node++) {
      const depth = depths[node]!;
      let word = low[node]!;
      const end = high[node]!;
      if (word < end && words[word]!.length === depth) {
        this.values[node] = values?.[word] ?? 1;
        word++;
      }
      this.firstChild[node] = next;
      while (word < end) {
        const unit = words[word]!.charCodeAt(depth);
        this.labels[next] = unit;
        depths[next] = depth + 1;
        low[next] = word;
        while (word < end && words[word]!.charCodeAt(depth) === unit) word++;
        high[next] = word;
        next++;
      }
    }
    this.firstChild[nodes] = next;
  }
}

/** One node for the root and one for each unit that a word does not share with the word before it. */
function countNodes(words: readonly string[]): number {
  let nodes = 1;
  let previous = "";
  for (const word of words) {
    let shared = 0;
    while (shared < previous.length && word.charCodeAt(shared) === previous.charCodeAt(shared)) shared++;
    nodes += word.length - shared;
    previous = word;
  }
  return nodes;
}

/**
 * More of the query words first. Walks the query graph with bitmaps: matching a node is free, skipping one that the
 * strategy gives up costs the terms it covers, and skipping forbids matching, further on, what should have been given up
 * before.
 */
import type { RowSets, RowSpaces } from "../query/row-sets.ts";
import type { Choice } from "./agreement.ts";
import type { Bucket, RankContext, Sorting } from "./context.ts";
import { Documents } from "./documents.ts";
import { chosenPaths, Reading } from "./reading.ts";
import type { Strategy } from "./strategy.ts";

export class WordsSort implements Sorting {
  readonly #context: RankContext;
  readonly #spaces: RowSpaces;
  readonly #readings: readonly Reading[];
  /** Nodes that may begin at each term. */
  readonly #starting: readonly (readonly number[])[];
  /** What skipping a node forbids afterwards, a bit for each node; null for nodes that cannot be skipped. */
  readonly #forbids: readonly (number | null)[];
  /** Costs that lead from a term to the end. */
  readonly #costsFrom: ReadonlySet<number>[];
  readonly #costs: readonly number[];
  readonly #max: number;
  readonly #left: RowSets;
  readonly #found: RowSets[] = [];
  #upcoming = 0;

  constructor(context: RankContext, strategy: Strategy, documents: RowSets) {
    this.#context = context;
    this.#spaces = context.corpus.spaces;
    this.#left = this.#spaces.copyOf(documents);
    const { nodes, termCount } = context.graph;
    const readings: Reading[] = [];
    const starting: number[][] = [];
    for (let term = 0; term < termCount; term++) starting.push([]);
    // At most ten terms, and what joins two or three of them: less than 31 nodes.
    const forbids: (number | null)[] = [];
    for (const node of nodes) {
      readings.push(Reading.whole(node));
      starting[node.from]!.push(node.index);
      forbids.push(null);
    }
    this.#readings = readings;
    this.#starting = starting;
    let before = 0;
    for (const group of strategy.groups) {
      const forbidden = before;
      for (const node of group) {
        forbids[node] = forbidden;
        before |= 1 << node;
      }
    }
    this.#forbids = forbids;
    this.#costsFrom = [];
    for (let term = 0; term <= termCount; term++) this.#costsFrom.push(new Set([0]));
    for (let term = termCount - 1; term >= 0; term--) {
      const costs = new Set<number>();
      for (const node of this.#starting[term]!) {
        for (const cost of this.#costsFrom[nodes[node]!.to + 1]!) {
          costs.add(cost);
          if (forbids[node] !== null) costs.add(cost + nodes[node]!.size);
        }
      }
      this.#costsFrom[term] = costs;
    }
    this.#costs = [...this.#costsFrom[0]!].sort((a, b) => a - b);
    let phraseWords = 0;
    for (const { term } of nodes) phraseWords += term.phrase?.filter((word) => word !== null).length ?? 0;
    this.#max = 1 + this.#costs.at(-1)! + Math.max(0, phraseWords - 1);
  }

  next(): Bucket | null {
    const cost = this.#costs[this.#upcoming];
    if (cost === undefined) return null;
    this.#upcoming++;
    const { agreement } = this.#context;
    agreement?.reach(cost);
    this.#leaveExcluded();
    const claim = new Claim(this.#spaces, this.#left);
    if (!this.#spaces.isEmpty(this.#left)) this.#walk(0, cost, this.#left, { path: [], order: [] }, 0, claim);
    // Where no document here has that cost, none has a say in how the query is read.
    const agreed = claim.choices.length === 0 ? undefined : agreement?.chosen(cost, claim.choices);
    return {
      documents: Documents.of(this.#spaces, claim.bucket),
      interpretations: agreed ?? chosenPaths(claim.choices.map(({ path }) => path)),
      detail: { kind: "words", matching: this.#max - cost, max: this.#max },
    };
  }

  #leaveExcluded(): void {
    const { isExcluded } = this.#context;
    if (isExcluded === null) return;
    this.#left.forEach((rows, segment) => {
      for (let row = rows.first(); row !== -1; row = rows.next(row + 1)) if (isExcluded(segment, row)) rows.clear(row);
    });
  }

  /** Depth first, `cost` being what is left to spend and `found` what satisfies the path so far. */
  #walk(term: number, cost: number, found: RowSets, way: Choice, forbidden: number, claim: Claim): void {
    const { nodes, termCount } = this.#context.graph;
    if (term === termCount) {
      claim.take(found, way);
      return;
    }
    const { order, path } = way;
    for (const index of this.#starting[term]!) {
      const { size, to } = nodes[index]!;
      const after = this.#costsFrom[to + 1]!;
      const skipForbids = this.#forbids[index]!;
      if (skipForbids !== null && cost >= size && after.has(cost - size)) {
        this.#walk(to + 1, cost - size, found, { path, order: [...order, 2 * index] }, forbidden | skipForbids, claim);
        if (claim.isDone) return;
      }
      if ((forbidden & (1 << index)) !== 0 || !after.has(cost) || this.#context.matches.isEmpty(this.#readings[index]!))
        continue;
      const matching = this.#scratch(path.length);
      this.#spaces.andInto(matching, found, this.#context.matches.reading(this.#readings[index]!));
      if (!this.#spaces.meet(matching, claim.left)) continue;
      const taken = { path: [...path, this.#readings[index]!], order: [...order, 2 * index + 1] };
      this.#walk(to + 1, cost, matching, taken, forbidden, claim);
      if (claim.isDone) return;
    }
  }

  /** Sets of a length of path: of all paths of that length only one is under way. */
  #scratch(length: number): RowSets {
    this.#found[length] ??= this.#spaces.raw();
    return this.#found[length];
  }

  rest(): Documents {
    this.#leaveExcluded();
    return Documents.of(this.#spaces, this.#left);
  }
}

/** A bucket being filled: documents go to the first path they satisfy. */
class Claim {
  readonly left: RowSets;
  readonly bucket: RowSets;
  readonly choices: Choice[] = [];
  isDone = false;
  readonly #spaces: RowSpaces;
  readonly #taken: RowSets;

  constructor(spaces: RowSpaces, left: RowSets) {
    this.#spaces = spaces;
    this.left = left;
    this.bucket = spaces.none();
    this.#taken = spaces.raw();
  }

  take(found: RowSets, choice: Choice): void {
    const { left } = this;
    const spaces = this.#spaces;
    const taken = this.#taken;
    spaces.andInto(taken, found, left);
    if (spaces.isEmpty(taken)) return;
    this.choices.push(choice);
    spaces.addTo(this.bucket, taken);
    spaces.removeFrom(left, taken);
    this.isDone = spaces.isEmpty(left);
  }
}

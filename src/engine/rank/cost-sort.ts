/**
 * Sorts documents by the cost of their cheapest interpretation. A rule says what one reading costs in each document;
 * costs add up along an interpretation, the first cheapest one is the document's, and the interpretations that some
 * document of a bucket chose are those the next rule sees.
 */
import type { Choice } from "./agreement.ts";
import type { Bucket, RankContext, Sorting } from "./context.ts";
import { type CostColumn, copyOfCostColumn, NO_MATCH, newCostColumn } from "./cost-column.ts";
import { countCosts, listed, type Picked, pickCosts } from "./cost-selection.ts";
import type { Documents, RowList } from "./documents.ts";
import { chosenPaths, type Interpretation, type Interpretations, type Reading } from "./reading.ts";
import type { RankDetail } from "./result.ts";

export interface CostRule {
  /** Most that a reading can cost, whether or not some document does. */
  costMax(reading: Reading, left: Reading | null): number;
  /** What the reading, after `left`, costs in each document; NO_MATCH where it does not match. */
  costs(reading: Reading, left: Reading | null, documents: Documents): CostColumn;
  /** Which part of the reading a cost stands for, 0 to 3, is what the cost has above this. Null when costs do not narrow readings. */
  choiceBase: ((reading: Reading) => number) | null;
  narrowed(reading: Reading, choice: number): Reading;
  /** Whether the cost of a reading depends on the one before. */
  needsLeft: boolean;
  /** The cost that the documents, which all match the interpretations, are known to have without looking; null when it takes a look. */
  sameForAll(interpretations: Interpretations): number | null;
}

/** What a cost means; `max`: how many different costs there could be. */
export type Said = (cost: number, max: number) => RankDetail;

/** More different choices than this in one bucket are not told apart by kernels. */
const CHOICES_MAX = 4096;

export class CostSort implements Sorting {
  readonly #rule: CostRule;
  readonly #said: Said;
  readonly #context: RankContext;
  readonly #documents: Documents;
  readonly #isGraph: boolean;
  readonly #paths: readonly Interpretation[];
  /** What each path was numbered before those that cannot match were left out. */
  readonly #numbers: readonly number[];
  readonly #max: number;
  readonly #memo = new Map<number, CostColumn>();
  /** Of each path, the costs of its readings. */
  readonly #planes: CostColumn[][];
  readonly #best: CostColumn;
  /** By document, the number of its path; null when there is only one. */
  readonly #chosen: CostColumn | null;
  readonly #bucketCosts: number[] = [];
  readonly #bucketCounts: number[] = [];
  #bucket = 0;

  constructor(
    rule: CostRule,
    said: Said,
    context: RankContext,
    documents: Documents,
    { paths, isGraph }: Interpretations,
  ) {
    this.#rule = rule;
    this.#said = said;
    this.#context = context;
    this.#documents = documents;
    this.#isGraph = isGraph;
    let most = 0;
    for (const path of paths) most = Math.max(most, pathMax(rule, path));
    this.#max = most + 1;
    this.#numbers = paths.map((_, path) => path).filter((path) => !isGraph || this.#canMatch(paths[path]!));
    this.#paths = this.#numbers.map((path) => paths[path]!);
    this.#planes = [];
    for (const path of this.#paths) {
      const planes: CostColumn[] = [];
      for (let i = 0; i < path.length; i++) planes.push(this.#plane(path[i]!, path[i - 1] ?? null));
      this.#planes.push(planes);
    }
    this.#chosen = this.#paths.length > 1 ? newCostColumn(documents, 0) : null;
    this.#best = this.#cheapest();
    this.#countBuckets();
    context.clock.spend(documents.count);
  }

  #canMatch(path: Interpretation): boolean {
    for (const reading of path) if (this.#context.matches.isEmpty(reading)) return false;
    return true;
  }

  #plane(reading: Reading, left: Reading | null): CostColumn {
    const key = this.#rule.needsLeft && left !== null ? reading.key * 0x10000 + left.key + 1 : reading.key * 0x10000;
    let plane = this.#memo.get(key);
    if (plane === undefined) {
      plane = this.#rule.costs(reading, left, this.#documents);
      this.#memo.set(key, plane);
    }
    return plane;
  }

  #cheapest(): CostColumn {
    const chosen = this.#chosen;
    const documents = this.#documents;
    const planes = this.#planes;
    if (planes.length === 1) return planes[0]!.length === 1 ? planes[0]![0]! : this.#sum(planes[0]!);
    const best = newCostColumn(documents, NO_MATCH);
    for (let path = 0; path < planes.length; path++) {
      const marks = documents.spaces.stackMarks();
      const total = planes[path]!.length === 1 ? planes[path]![0]! : this.#sum(planes[path]!);
      documents.eachList(({ kernels }, { count }, segment) => {
        kernels.planeTake(best[segment]!, total[segment]!, chosen![segment]!, path, count);
      });
      documents.spaces.releaseTo(marks);
    }
    return best;
  }

  #sum(planes: readonly CostColumn[]): CostColumn {
    const documents = this.#documents;
    if (planes.length === 0) return newCostColumn(documents, 0);
    const total = copyOfCostColumn(documents, planes[0]!);
    for (let i = 1; i < planes.length; i++) {
      documents.eachList(({ kernels }, { count }, segment) => {
        kernels.planeAdd(total[segment]!, planes[i]![segment]!, count);
      });
    }
    return total;
  }

  #countBuckets(): void {
    const counts = countCosts(this.#documents, this.#best, this.#max);
    for (let cost = 0; cost < counts.length; cost++) {
      if (counts[cost] === 0) continue;
      this.#bucketCosts.push(cost);
      this.#bucketCounts.push(counts[cost]!);
    }
  }

  next(): Bucket | null {
    const cost = this.#bucketCosts[this.#bucket];
    if (cost === undefined) return null;
    const isAll = this.#bucketCounts[this.#bucket] === this.#documents.count;
    this.#bucket++;
    const detail = this.#said(cost, this.#max);
    const { agreement, isExcluded } = this.#context;
    agreement?.reach(cost);
    const isAlone = isExcluded === null && agreement === null;
    if (isAll && isAlone && this.#chosen === null && (cost === 0 || this.#rule.choiceBase === null)) {
      return { documents: this.#documents, interpretations: this.#onlyPath(), detail };
    }
    const picked = pickCosts(this.#documents, this.#best, cost, cost + 1);
    const documents = isAll ? this.#documents : listed(this.#documents, picked);
    if (isExcluded === null) return { documents, interpretations: this.#chosenBy(picked, cost), detail };
    const left = documents.filter((segment, row) => !isExcluded(segment, row));
    if (left.count === documents.count) return { documents, interpretations: this.#chosenBy(picked, cost), detail };
    return { documents: left, interpretations: this.#chosenBy(this.#stillThere(picked), cost), detail };
  }

  /** What is left of the only path when nothing was spent on it: all documents made the same choices. */
  #onlyPath(): Interpretations {
    return chosenPaths(this.#rule.choiceBase === null ? this.#paths : [unspent(this.#rule, this.#paths[0]!)]);
  }

  #stillThere(picked: Picked): Picked {
    return picked.map(({ at, count }, segment) => {
      const { u32 } = this.#documents.spaces.list[segment]!.workspace;
      const rows = this.#documents.lists[segment]!.at >>> 2;
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const position = u32[(at >>> 2) + i]!;
        if (!this.#context.isExcluded!(segment, u32[rows + position]!)) u32[(at >>> 2) + kept++] = position;
      }
      return { at, count: kept };
    });
  }

  #chosenBy(picked: Picked, cost: number): Interpretations {
    const { agreement } = this.#context;
    if (agreement !== null) return agreement.chosen(cost, this.#choicesIn(picked));
    // Nothing spent on the only path: all documents made the same choices.
    const isCheap = this.#rule.choiceBase !== null && cost === 0 && this.#chosen === null;
    if (isCheap && picked.some(({ count }) => count > 0)) return this.#onlyPath();
    return chosenPaths(this.#choicesIn(picked).map(({ path }) => path));
  }

  /** In order. */
  #choicesIn(picked: Picked): Choice[] {
    if (this.#rule.choiceBase === null) return this.#chosenPlainly(picked);
    const found = new Map<string, Choice>();
    for (const { path, choices } of this.#choicesOf(picked)) {
      const key = `${path} ${choices}`;
      if (!found.has(key)) found.set(key, this.#narrow(path, choices));
    }
    return [...found.values()].sort((a, b) => compareOrders(a.order, b.order));
  }

  /** The different choices that documents made, path by path. */
  *#choicesOf(picked: Picked): Iterable<{ path: number; choices: number[] }> {
    for (let segment = 0; segment < picked.length; segment++) {
      if (picked[segment]!.count === 0) continue;
      const { kernels, workspace } = this.#documents.spaces.list[segment]!;
      for (const path of this.#usedPaths(picked, segment)) {
        const { mark } = workspace;
        const { at, count } = this.#onPath(picked[segment]!, segment, path);
        const signatures = workspace.allocate(count * 4);
        kernels.fill(signatures, count * 4, 0);
        const readings = this.#paths[path]!;
        readings.forEach((reading, j) => {
          const plane = this.#planes[path]![j]![segment]!;
          kernels.signatureAdd(signatures, plane, at, count, this.#rule.choiceBase!(reading));
        });
        const different = workspace.allocate(CHOICES_MAX * 4);
        const found = kernels.distinct(signatures, count, different, CHOICES_MAX);
        const values = workspace.u32.slice(different >>> 2, (different >>> 2) + found);
        workspace.release(mark);
        for (const value of values) {
          yield { path, choices: readings.map((_, j) => (value >>> (2 * (readings.length - 1 - j))) & 3) };
        }
      }
    }
  }

  /** The positions of documents that chose a path. */
  #onPath({ at, count }: RowList, segment: number, path: number): RowList {
    if (this.#chosen === null) return { at, count };
    const { workspace } = this.#documents.spaces.list[segment]!;
    const chosen = this.#chosen[segment]! >>> 1;
    const list = workspace.allocate(count * 4);
    const { u16, u32 } = workspace;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const position = u32[(at >>> 2) + i]!;
      if (u16[chosen + position] === path) u32[(list >>> 2) + kept++] = position;
    }
    return { at: list, count: kept };
  }

  #narrow(index: number, choices: readonly number[]): Choice {
    const order = this.#isGraph ? [] : [index];
    const path: Reading[] = [];
    for (const [j, reading] of this.#paths[index]!.entries()) {
      order.push(reading.node.index * 4 + choices[j]!);
      path.push(this.#rule.narrowed(reading, choices[j]!));
    }
    return { path, order };
  }

  #chosenPlainly(picked: Picked): Choice[] {
    const used = new Set<number>();
    picked.forEach((_, segment) => {
      for (const path of this.#usedPaths(picked, segment)) used.add(path);
    });
    const choices: Choice[] = [];
    this.#paths.forEach((path, i) => {
      if (used.has(i)) choices.push({ path, order: [this.#numbers[i]!] });
    });
    return choices;
  }

  /** Numbers of the paths that documents of a segment chose. */
  #usedPaths(picked: Picked, segment: number): number[] {
    const { at, count } = picked[segment]!;
    if (count === 0) return [];
    if (this.#chosen === null) return [0];
    const { kernels, workspace } = this.#documents.spaces.list[segment]!;
    const { mark } = workspace;
    const used = workspace.allocate(this.#paths.length);
    kernels.fill(used, this.#paths.length, 0);
    kernels.planeUsed(this.#chosen[segment]!, at, count, used);
    const paths = this.#paths.map((_, path) => path).filter((path) => workspace.u8[used + path] === 1);
    workspace.release(mark);
    return paths;
  }

  rest(): Documents {
    const from = this.#bucketCosts[this.#bucket] ?? this.#max;
    const { isExcluded } = this.#context;
    const rest = listed(this.#documents, pickCosts(this.#documents, this.#best, from, this.#max));
    return isExcluded === null ? rest : rest.filter((segment, row) => !isExcluded(segment, row));
  }
}

/** What is left of an interpretation on which nothing was spent. */
export function unspent(rule: CostRule, path: Interpretation): Interpretation {
  const left: Reading[] = [];
  for (const reading of path) left.push(rule.narrowed(reading, 0));
  return left;
}

/** Most that an interpretation can cost. */
export function pathMax(rule: CostRule, path: Interpretation): number {
  let sum = 0;
  for (let i = 0; i < path.length; i++) sum += rule.costMax(path[i]!, path[i - 1] ?? null);
  return sum;
}

export function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

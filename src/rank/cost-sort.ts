/**
 * Sorts documents by the cost of their cheapest interpretation. A rule says what one reading costs in each document;
 * costs add up along an interpretation, the first cheapest one is the document's, and the interpretations that some
 * document of a bucket chose are those the next rule sees.
 */
import type { Bucket, RankContext, Sorting } from "./context.ts";
import type { Documents } from "./documents.ts";
import { chosenPaths, type Interpretation, type Interpretations, type Reading } from "./reading.ts";
import type { RankDetail } from "./result.ts";

/** Cost of a reading that a document does not match. */
export const NO_MATCH = 0xffff;
const UNREACHED = 0xffffffff;

export interface CostRule {
  /** Most that a reading can cost, whether or not some document does. */
  costMax(reading: Reading, left: Reading | null): number;
  /** What the reading, after `left`, costs in each document; NO_MATCH where it does not match. */
  costs(reading: Reading, left: Reading | null, documents: Documents): Uint16Array;
  /** Which part of the reading a cost stands for: 0 to 3. Null when costs do not narrow readings. */
  choice: ((reading: Reading, cost: number) => number) | null;
  narrowed(reading: Reading, choice: number): Reading;
  /** Whether the cost of a reading depends on the one before. */
  needsLeft: boolean;
  detail(cost: number, max: number): RankDetail;
}

export class CostSort implements Sorting {
  private readonly rule: CostRule;
  private readonly context: RankContext;
  private readonly documents: Documents;
  private readonly isGraph: boolean;
  private readonly paths: readonly Interpretation[];
  private readonly max: number;
  private readonly memo = new Map<number, Uint16Array>();
  /** Of each path, the costs of its readings. */
  private readonly planes: Uint16Array[][];
  private readonly chosen: Uint16Array | null;
  /** Positions by cost, then ascending; buckets begin at `bucketStarts`. */
  private readonly order: Uint32Array;
  private readonly bucketCosts: number[];
  private readonly bucketStarts: number[];
  private bucket = 0;

  constructor(rule: CostRule, context: RankContext, documents: Documents, { paths, isGraph }: Interpretations) {
    this.rule = rule;
    this.context = context;
    this.documents = documents;
    this.isGraph = isGraph;
    let most = 0;
    for (const path of paths) most = Math.max(most, this.pathMax(path));
    this.max = most + 1;
    this.paths = isGraph ? paths.filter((path) => this.canMatch(path)) : paths;
    this.planes = this.paths.map((path) => path.map((reading, i) => this.plane(reading, path[i - 1] ?? null)));
    const totals = new Uint32Array(documents.count).fill(UNREACHED);
    this.chosen = this.paths.length > 1 ? new Uint16Array(documents.count) : null;
    for (let path = 0; path < this.paths.length; path++) this.addPath(path, totals);
    context.clock.spend(documents.count);
    const { order, costs, starts } = orderByCost(totals, this.max);
    this.order = order;
    this.bucketCosts = costs;
    this.bucketStarts = starts;
  }

  private pathMax(path: Interpretation): number {
    let sum = 0;
    for (let i = 0; i < path.length; i++) sum += this.rule.costMax(path[i]!, path[i - 1] ?? null);
    return sum;
  }

  private canMatch(path: Interpretation): boolean {
    return path.every((reading) => !this.context.matches.isEmpty(reading));
  }

  private plane(reading: Reading, left: Reading | null): Uint16Array {
    const key = this.rule.needsLeft && left !== null ? reading.key * 0x10000 + left.key + 1 : reading.key * 0x10000;
    let plane = this.memo.get(key);
    if (plane === undefined) {
      plane = this.rule.costs(reading, left, this.documents);
      this.memo.set(key, plane);
    }
    return plane;
  }

  private addPath(path: number, totals: Uint32Array): void {
    const planes = this.planes[path]!;
    const { chosen } = this;
    for (let i = 0; i < totals.length; i++) {
      let sum = 0;
      for (let j = 0; j < planes.length; j++) {
        const cost = planes[j]![i]!;
        if (cost === NO_MATCH) {
          sum = UNREACHED;
          break;
        }
        sum += cost;
      }
      if (sum < totals[i]!) {
        totals[i] = sum;
        if (chosen !== null) chosen[i] = path;
      }
    }
  }

  next(): Bucket | null {
    if (this.bucket >= this.bucketCosts.length) return null;
    const cost = this.bucketCosts[this.bucket]!;
    let positions = this.order.subarray(this.bucketStarts[this.bucket]!, this.bucketStarts[this.bucket + 1]!);
    this.bucket++;
    if (this.context.isExcluded !== null) positions = this.stillThere(positions);
    const isAll = positions.length === this.documents.count;
    return {
      documents: isAll ? this.documents : this.documents.pick(positions),
      interpretations: this.chosenBy(positions, cost),
      detail: this.rule.detail(cost, this.max),
    };
  }

  private stillThere(positions: Uint32Array): Uint32Array {
    const { rows, starts } = this.documents;
    let segment = 0;
    return positions.filter((position) => {
      while (position >= starts[segment + 1]!) segment++;
      return !this.context.isExcluded!(segment, rows[position]!);
    });
  }

  private chosenBy(positions: Uint32Array, cost: number): Interpretations {
    if (this.rule.choice === null) return this.chosenPlainly(positions);
    // Nothing spent on the only path: all documents made the same choices.
    if (cost === 0 && this.chosen === null && positions.length > 0) {
      return chosenPaths([this.narrow(0, positions[0]!).path]);
    }
    const found = new Map<number, { path: Interpretation; order: number[] }>();
    for (const position of positions) {
      const index = this.chosen === null ? 0 : this.chosen[position]!;
      const path = this.paths[index]!;
      const planes = this.planes[index]!;
      let signature = index;
      for (let j = 0; j < path.length; j++) {
        signature = signature * 4 + this.rule.choice(path[j]!, planes[j]![position]!);
      }
      if (!found.has(signature)) found.set(signature, this.narrow(index, position));
    }
    const ordered = [...found.values()].sort((a, b) => compareOrders(a.order, b.order));
    return chosenPaths(ordered.map(({ path }) => path));
  }

  private narrow(index: number, position: number): { path: Interpretation; order: number[] } {
    const order = this.isGraph ? [] : [index];
    const path = this.paths[index]!.map((reading, j) => {
      const choice = this.rule.choice!(reading, this.planes[index]![j]![position]!);
      order.push(reading.node.index * 4 + choice);
      return this.rule.narrowed(reading, choice);
    });
    return { path, order };
  }

  private chosenPlainly(positions: Uint32Array): Interpretations {
    const { chosen, paths } = this;
    if (chosen === null) return chosenPaths(positions.length === 0 ? [] : paths);
    const used = new Uint8Array(paths.length);
    for (let i = 0; i < positions.length; i++) used[chosen[positions[i]!]!] = 1;
    return chosenPaths(paths.filter((_, path) => used[path] === 1));
  }

  rest(): Documents {
    const from = this.bucketStarts[this.bucket] ?? this.order.length;
    const { isExcluded } = this.context;
    const rest = this.documents.pick(this.order.slice(from).sort());
    return isExcluded === null ? rest : rest.filter((segment, row) => !isExcluded(segment, row));
  }
}

function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Positions by ascending cost; those without any come last and belong to no bucket. */
function orderByCost(totals: Uint32Array, max: number): { order: Uint32Array; costs: number[]; starts: number[] } {
  const counts = new Uint32Array(max + 1);
  for (let i = 0; i < totals.length; i++) counts[Math.min(totals[i]!, max)]!++;
  const costs: number[] = [];
  const starts: number[] = [];
  const next = new Uint32Array(max + 1);
  let total = 0;
  for (let cost = 0; cost <= max; cost++) {
    next[cost] = total;
    if (counts[cost]! > 0 && cost < max) {
      costs.push(cost);
      starts.push(total);
    }
    total += counts[cost]!;
  }
  starts.push(next[max]!);
  const order = new Uint32Array(totals.length);
  for (let i = 0; i < totals.length; i++) order[next[Math.min(totals[i]!, max)]!++] = i;
  return { order, costs, starts };
}

/** Fewer typos first. A term costs the typos of its best word; words joined to one count as typos too. */
import type { RankContext } from "./context.ts";
import { type CostRule, NO_MATCH } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import type { Reading } from "./reading.ts";
import type { RankDetail } from "./result.ts";
import type { RowSets } from "./row-sets.ts";

export class TypoRule implements CostRule {
  readonly needsLeft = false;
  private readonly context: RankContext;

  constructor(context: RankContext) {
    this.context = context;
  }

  costMax(reading: Reading): number {
    return baseOf(reading) + reading.typosMax;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): Uint16Array {
    const costs = new Uint16Array(documents.count).fill(NO_MATCH);
    const base = baseOf(reading);
    let left = documents.count;
    for (let typos = 0; typos <= reading.typosMax && left > 0; typos++) {
      const tier = reading.tier(typos);
      if (!tier.mayMatch()) continue;
      left -= setWhereUnset(this.context.matches.reading(tier), documents, base + typos, costs);
    }
    return costs;
  }

  readonly choice = (reading: Reading, cost: number): number => cost - baseOf(reading);

  narrowed(reading: Reading, choice: number): Reading {
    return reading.tier(choice);
  }

  detail(cost: number, max: number): RankDetail {
    return { kind: "typo", typos: cost, max: max - 1 };
  }
}

function baseOf({ node }: Reading): number {
  return node.size === 1 ? 0 : node.size;
}

/** Writes `cost` for the documents of a set that have none yet; returns how many there are. */
function setWhereUnset(sets: RowSets, documents: Documents, cost: number, costs: Uint16Array): number {
  const { rows, starts } = documents;
  let count = 0;
  for (let segment = 0; segment < sets.length; segment++) {
    const { words } = sets[segment]!;
    const to = starts[segment + 1]!;
    for (let i = starts[segment]!; i < to; i++) {
      const row = rows[i]!;
      if (costs[i] !== NO_MATCH || (words[row >>> 5]! & (1 << (row & 31))) === 0) continue;
      costs[i] = cost;
      count++;
    }
  }
  return count;
}

/** Writes `cost` for the documents of a set. */
export function setWhere(sets: RowSets, documents: Documents, cost: number, costs: Uint16Array): void {
  const { rows, starts } = documents;
  for (let segment = 0; segment < sets.length; segment++) {
    const { words } = sets[segment]!;
    const to = starts[segment + 1]!;
    for (let i = starts[segment]!; i < to; i++) {
      const row = rows[i]!;
      if ((words[row >>> 5]! & (1 << (row & 31))) !== 0) costs[i] = cost;
    }
  }
}

/** Fewer typos first. A term costs the typos of its best word; words joined to one count as typos too. */
import type { RowSets } from "../query/row-sets.ts";
import type { RankContext } from "./context.ts";
import { type CostColumn, NO_MATCH, newCostColumn } from "./cost-column.ts";
import type { CostRule } from "./cost-sort.ts";
import type { Documents } from "./documents.ts";
import type { Interpretations, Reading } from "./reading.ts";

export class TypoRule implements CostRule {
  readonly needsLeft = false;
  readonly #context: RankContext;

  constructor(context: RankContext) {
    this.#context = context;
  }

  costMax(reading: Reading): number {
    return baseOf(reading) + reading.typosMax;
  }

  costs(reading: Reading, _left: Reading | null, documents: Documents): CostColumn {
    const { matches } = this.#context;
    const tiers: { sets: RowSets; cost: number }[] = [];
    for (let typos = 0; typos <= reading.typosMax; typos++) {
      const tier = reading.tier(typos);
      if (tier.mayMatch()) tiers.push({ sets: matches.reading(tier), cost: baseOf(reading) + typos });
    }
    const plane = newCostColumn(documents, NO_MATCH);
    documents.eachList((space, { at, count }, segment) => {
      let left = count;
      for (const { sets, cost } of tiers) {
        if (left === 0) break;
        left -= space.kernels.planeSetWhereUnset(space.address(sets[segment]!), at, count, cost, plane[segment]!);
      }
    });
    return plane;
  }

  readonly choiceBase = baseOf;

  narrowed(reading: Reading, choice: number): Reading {
    return reading.tier(choice);
  }

  /** Where no word may have a typo, none has. */
  sameForAll({ isGraph, paths }: Interpretations): number | null {
    if (isGraph || paths.length !== 1) return null;
    let cost = 0;
    for (const reading of paths[0]!) {
      if (reading.tier(1).mayMatch() || reading.tier(2).mayMatch()) return null;
      cost += baseOf(reading);
    }
    return cost;
  }
}

function baseOf({ node }: Reading): number {
  return node.size === 1 ? 0 : node.size;
}

/** Writes `cost` for the documents of a set. */
export function setWhere(sets: RowSets, documents: Documents, cost: number, plane: CostColumn): void {
  documents.eachList((space, { at, count }, segment) => {
    space.kernels.planeSetWhere(space.address(sets[segment]!), at, count, cost, plane[segment]!);
  });
}

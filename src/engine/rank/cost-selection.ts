/**
 * Some documents of a list, by their positions in it: what has a certain cost in a plane. Positions lie in the memory of
 * each segment, ascending, where kernels read them.
 */

import type { CostColumn } from "./cost-column.ts";
import { Documents, type RowList } from "./documents.ts";

/** By segment. */
export type Picked = readonly RowList[];

const NOTHING: RowList = { at: 0, count: 0 };

/** Positions with a cost in `[from, below)`. */
export function pickCosts({ lists, spaces }: Documents, plane: CostColumn, from: number, below: number): Picked {
  const picked: RowList[] = [];
  for (let segment = 0; segment < lists.length; segment++) {
    const { count } = lists[segment]!;
    if (count === 0) {
      picked.push(NOTHING);
      continue;
    }
    const { kernels, workspace } = spaces.list[segment]!;
    const at = workspace.allocate(count * 4);
    const found =
      below === from + 1
        ? kernels.planePick(plane[segment]!, count, from, at)
        : kernels.planePickFrom(plane[segment]!, count, from, below, at);
    workspace.release(at);
    workspace.allocate(found * 4);
    picked.push({ at, count: found });
  }
  return picked;
}

/** The documents at the positions. */
export function listed(documents: Documents, picked: Picked): Documents {
  return new Documents(documents.spaces, chosenFrom(documents, documents.lists, picked), documents);
}

/** Positions in a list of documents that was itself picked, as positions in the list it was picked from. */
export function traced(documents: Documents, origins: Picked, picked: Picked): Picked {
  return chosenFrom(documents, origins, picked);
}

function chosenFrom({ spaces }: Documents, from: readonly RowList[], picked: Picked): RowList[] {
  const chosen: RowList[] = [];
  for (let segment = 0; segment < picked.length; segment++) {
    const { at, count } = picked[segment]!;
    if (count === 0) {
      chosen.push(NOTHING);
      continue;
    }
    const { kernels, workspace } = spaces.list[segment]!;
    const out = workspace.allocate(count * 4);
    kernels.listPick(from[segment]!.at, at, count, out);
    chosen.push({ at: out, count });
  }
  return chosen;
}

/** How many documents have each cost below `max`. */
export function countCosts(documents: Documents, plane: CostColumn, max: number): Float64Array {
  const counts = new Float64Array(max);
  documents.eachList(({ kernels, workspace }, { count }, segment) => {
    const { mark } = workspace;
    const at = workspace.allocate((max + 1) * 4);
    kernels.fill(at, (max + 1) * 4, 0);
    kernels.planeCounts(plane[segment]!, count, max, at);
    for (let cost = 0; cost < max; cost++) counts[cost]! += workspace.u32[(at >>> 2) + cost]!;
    workspace.release(mark);
  });
  return counts;
}

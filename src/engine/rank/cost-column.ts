/**
 * What a reading costs in every document of a list: 16-bit numbers, one plane a segment, in the memory that holds the
 * segment. A document that does not match has NO_MATCH, and so does every sum it is part of.
 */
import { NO_COST } from "../../base/kernels/keyword/kernels.ts";
import type { Documents } from "./documents.ts";

/** Cost of a reading that a document does not match. */
export const NO_MATCH = NO_COST;

/** Addresses by segment; 0 where the list is empty. */
export type CostColumn = readonly number[];

export function newCostColumn(documents: Documents, cost: number): CostColumn {
  const plane: number[] = [];
  for (let segment = 0; segment < documents.lists.length; segment++) {
    const { count } = documents.lists[segment]!;
    const { kernels, workspace } = documents.spaces.list[segment]!;
    const at = count === 0 ? 0 : workspace.allocate(count * 2);
    if (count > 0) kernels.planeFill(at, count, cost);
    plane.push(at);
  }
  return plane;
}

export function copyOfCostColumn(documents: Documents, plane: CostColumn): CostColumn {
  const copy: number[] = [];
  for (let segment = 0; segment < documents.lists.length; segment++) {
    const { count } = documents.lists[segment]!;
    const { workspace } = documents.spaces.list[segment]!;
    const at = count === 0 ? 0 : workspace.allocate(count * 2);
    if (count > 0) workspace.u8.copyWithin(at, plane[segment]!, plane[segment]! + count * 2);
    copy.push(at);
  }
  return copy;
}

/**
 * What a reading costs in every document of a list: 16-bit numbers, one plane a segment, in the memory that holds the
 * segment. A document that does not match has NO_MATCH, and so does every sum it is part of.
 */
import { NO_COST } from "../kernels/keyword/kernels.ts";
import type { Documents } from "./documents.ts";

/** Cost of a reading that a document does not match. */
export const NO_MATCH = NO_COST;

/** Addresses by segment; 0 where the list is empty. */
export type Plane = readonly number[];

export function newPlane(documents: Documents, cost: number): Plane {
  return documents.lists.map(({ count }, segment) => {
    if (count === 0) return 0;
    const { kernels, workspace } = documents.spaces.list[segment]!;
    const at = workspace.allocate(count * 2);
    kernels.planeFill(at, count, cost);
    return at;
  });
}

export function copyOfPlane(documents: Documents, plane: Plane): Plane {
  return documents.lists.map(({ count }, segment) => {
    if (count === 0) return 0;
    const { workspace } = documents.spaces.list[segment]!;
    const at = workspace.allocate(count * 2);
    workspace.u8.copyWithin(at, plane[segment]!, plane[segment]! + count * 2);
    return at;
  });
}

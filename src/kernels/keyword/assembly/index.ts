/** The kernels of keyword search, for compiling into one module. */
export {
  bitsAnd,
  bitsAndNot,
  bitsAny,
  bitsAnyAnd,
  bitsCount,
  bitsCountAnd,
  bitsList,
  bitsOr,
  bitsRanks,
  fill,
  listBits,
} from "./bits";
export { refsOfEntries } from "./entries";
export { near, nearInField } from "./near";
export {
  distinct,
  listPick,
  planeAdd,
  planeCounts,
  planeFill,
  planePick,
  planePickFrom,
  planeSetWhere,
  planeSetWhereUnset,
  planeTake,
  planeUsed,
  signatureAdd,
} from "./planes";
export { unionRows, unionRowsInSets } from "./rows";
export { tableFirstValues, tableMaskValues, tableSummaries } from "./summaries";
export { gatherTable, tablePlaces, tableSteps, tableWeights } from "./tables";
export {
  wordPlaces,
  wordPlacesRanked,
  wordSteps,
  wordStepsRanked,
  wordWeights,
  wordWeightsRanked,
} from "./words";

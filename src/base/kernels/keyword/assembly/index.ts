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
  bitsOrAnd,
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
export { refsAmong, unionRows, unionRowsInSets } from "./rows";
export { firstValues, maskValues, tableSummaries, wordSummaries } from "./summaries";
export { gatherTable, tableSpans, tableSteps, tableWeights } from "./tables";
export { wordPlaces, wordSteps, wordWeights } from "./words";

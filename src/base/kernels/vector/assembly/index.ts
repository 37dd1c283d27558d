/** The kernels of vector search, by what they do; what they mean is told in ../kernels.ts. */
export { assignCells, rankCells } from "./cell";
export { scanCells, settle } from "./cell-scan";
export { walkGraph } from "./graph";
export { buildGraph, layersOf } from "./graph-build";
export { sorted } from "./heap";
export { bestOfBits, bestOfFloats, listSlots, rankFloats, scanBits, scanCodes, scanFloats } from "./scan";
export { choosePlaces, scanSketches, select, writeTables } from "./sketch";

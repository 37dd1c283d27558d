/** Keyword search, for compiling into one module. */
export { termBranches } from "../../dictionary/assembly/branches";
export { search } from "./search";

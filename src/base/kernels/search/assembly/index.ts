/** Keyword search, for compiling into one module. */
export { search } from "./search";

/** The kernels that walk the vocabulary of a segment, for compiling into one module. */
export { termBranches } from "./branches";
export { blockKeys } from "./keys";
export { termsNear } from "./near";
export { termBound, termCuts, termFind, termsAfterFirst } from "./seek";
export { termText } from "./walk";

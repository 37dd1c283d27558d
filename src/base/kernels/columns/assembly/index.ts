/** Loops over the codes of one column of one segment; the layout of codes is told in `storage/segment/columns/format.ts`. */
export * from "./count";
export * from "./facets";
export * from "./order";
export * from "./pairs";
export * from "./select";

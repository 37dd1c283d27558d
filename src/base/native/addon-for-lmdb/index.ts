/** Where the package lmdb asks for its binary: takes the place of the package that would search for one. */
import { loadAddon } from "../load.ts";

// biome-ignore lint/style/noDefaultExport: what this stands in for has one, and lmdb imports it.
export default function loadForLmdb(): unknown {
  return loadAddon("lmdb");
}

/**
 * Addons that were compiled on this machine (`npm run hnswlib`): the hash of what came out is written down beside it, and
 * that very file is loaded, no other.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { ifThere } from "../files/if-there.ts";
import { addonFolder } from "./folder.ts";

/** By name of the file. */
export const COMPILED_LIST = "compiled.json";

export function compiledName(addon: string): string {
  return `${addon}-${process.platform}-${process.arch}.node`;
}

/** Null for a file that was not compiled here. */
export function hashOfCompiled(file: string, folder = addonFolder): string | null {
  if (path.resolve(path.dirname(file)) !== path.resolve(folder)) return null;
  const list = ifThere(() => readFileSync(path.join(folder, COMPILED_LIST), "utf8"));
  return list === null ? null : ((JSON.parse(list) as Record<string, string>)[path.basename(file)] ?? null);
}

/** Keys as they lie in the file: four bytes, or text and a zero. */
import { TABLES } from "../tables.ts";
import { must } from "./pages.ts";

const NUMBERED = new Set<string>(TABLES.flatMap(([name, keys]) => (keys === "uint32" ? [name] : [])));

export function textOf(key: Buffer): string {
  return key.toString("utf8", 0, key.at(-1) === 0 ? key.length - 1 : key.length);
}

export function keyOf(table: string, key: Buffer): number | string {
  if (!NUMBERED.has(table)) return textOf(key);
  must(key.length === 4, `a key of the table \`${table}\` is damaged`);
  return key.readUInt32LE(0);
}

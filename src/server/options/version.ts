/** The version of the program, as its package names it. */
import { readFileSync } from "node:fs";

/** Bundles lie one folder deep, sources two. */
const MANIFEST = import.meta.url.endsWith(".ts") ? "../../../package.json" : "../package.json";

export function packageVersion(): string {
  const text = readFileSync(new URL(MANIFEST, import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

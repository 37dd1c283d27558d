/** What axe, which knows how pages must be made for everybody, finds wrong with the page that a browser shows. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** With the rules that are looked at in each: nothing but colours differs. */
export const SCHEMES = [
  ["light", ""],
  ["dark", '{ runOnly: ["color-contrast"] }'],
] as const;

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** By script in the page's own world: what the page may not load, a test may. Once for each document. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(readFileSync(AXE, "utf8"));
}

/** `rules`: as axe takes them; none for all. */
export async function violations(page: Page, rules = ""): Promise<string[]> {
  const found = await page.evaluate<Violation[]>(`axe.run(${rules}).then((results) => results.violations)`);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target} ${failureSummary}`),
  );
}

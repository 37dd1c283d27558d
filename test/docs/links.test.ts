// Every link of the README and of the documentation leads somewhere: to a file that is there, to a heading that it has. So do the
// files of the sources that they name.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { pages } from "./code-blocks.ts";

const ROOT = new URL("../../", import.meta.url);

function withoutCode(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, "");
}

/** As forges name the places of headings. */
function anchors(page: URL): string[] {
  return [...withoutCode(readFileSync(page, "utf8")).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("links of the documentation lead somewhere", () => {
  const broken: string[] = [];
  for (const page of pages().map((name) => new URL(name, ROOT))) {
    for (const [, target] of withoutCode(readFileSync(page, "utf8")).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const { hash, pathname } = new URL(target!, page);
      const file = new URL(pathname, ROOT);
      const found = existsSync(file) && (hash === "" || anchors(file).includes(hash.slice(1)));
      if (!found) broken.push(`${page.pathname.slice(ROOT.pathname.length)}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

/** With a name of a block or a folder of the project in front: those of other projects, and single names, are not looked for. */
const SOURCE_FILE =
  /`((?:base|storage|engine|server|page|src|test|scripts|perf|schemas|kernels|docs|deploy)\/[\w./-]+)`/g;
const PLACES = ["", "src/", "src/base/"];
/** What somebody who follows a recipe of CONTRIBUTING would add. */
const TO_BE_ADDED = ["engine/rank/recency.ts", "schemas/lengths.fbs"];

test("files of the sources that the documentation names are there", () => {
  const missing: string[] = [];
  let named = 0;
  for (const name of ["CONTRIBUTING.md", ...pages()]) {
    for (const [, file] of readFileSync(new URL(name, ROOT), "utf8").matchAll(SOURCE_FILE)) {
      named++;
      const isThere = PLACES.some((place) => existsSync(new URL(place + file!, ROOT)));
      if (!isThere && !TO_BE_ADDED.includes(file!)) missing.push(`${name}: ${file}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(named > 100, `only ${named} files were found`);
});

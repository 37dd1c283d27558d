// Every link of the README and of the documentation leads somewhere: to a file that is there, to a heading that it has.
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

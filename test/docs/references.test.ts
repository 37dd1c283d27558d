// The references: what is committed is what the contract gives, and nothing of the contract is missing in them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { referencePages } from "../../scripts/references/pages.ts";
import { ROUTES } from "../../src/base/contract/routes.ts";
import { settingSchemas } from "../../src/base/contract/settings.ts";
import { CATALOGUE } from "../../src/base/errors/codes.ts";
import { OPTION_TABLE } from "../../src/server/options/table.ts";

const FOLDER = new URL("../../docs/reference/", import.meta.url);

/** Names and what must stand at the beginning of a line for each to be told of. */
const ENTRIES: Record<string, string[]> = {
  "settings.md": Object.keys(settingSchemas).map((name) => `## ${name}\n`),
  "options.md": OPTION_TABLE.map(({ name }) => `| \`--${name}\` | `),
  "errors.md": Object.keys(CATALOGUE).map((code) => `| \`${code}\` | `),
  "routes.md": ROUTES.map(({ method, path }) =>
    /^\/indexes\/[^/]+\/settings\//.test(path) ? `| \`${path}\` | ` : `### ${method} ${path}\n`,
  ),
};

suite("The references", () => {
  const pages = referencePages();

  test("are those that the script writes", () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), [...pages.keys()].sort());
    for (const [name, text] of pages) {
      const committed = readFileSync(new URL(name, FOLDER), "utf8");
      assert.ok(committed === text, `docs/reference/${name} is stale: node --import tsx scripts/references.ts`);
    }
  });

  for (const [name, entries] of Object.entries(ENTRIES)) {
    test(`${name} has an entry for each`, () => {
      assert.deepEqual(
        entries.filter((entry) => !pages.get(name)!.includes(`\n${entry}`)),
        [],
      );
    });
  }
});

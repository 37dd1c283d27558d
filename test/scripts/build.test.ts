import assert from "node:assert/strict";
import { appendFileSync, cpSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { Project } from "./project.ts";

const here = (place: string): string => fileURLToPath(new URL(`../../${place}`, import.meta.url));

/** One for all tests: a build takes several seconds of a core. Each leaves sources that are right. */
const project = ownSources();

function ownSources(): Project {
  const project = new Project({});
  writeFileSync(project.file("package.json"), JSON.stringify({ name: "small", type: "module" }));
  symlinkSync(here("node_modules"), project.file("node_modules"));
  // With the binaries that this machine needs, so that none is fetched.
  for (const folder of ["src", ".natives", "docs"]) cpSync(here(folder), project.file(folder), { recursive: true });
  for (const file of ["README.md", "CHANGELOG.md"]) cpSync(here(file), project.file(file));
  // The server that was built is not run: what that leaves only makes a start quicker, and it takes longer than to build.
  writeFileSync(project.file("scripts/lib/first-run.mjs"), "export async function runFirst() {}\n");
  return project;
}

async function builds(): Promise<boolean> {
  const { status, output } = await project.run("build.mjs").ended;
  assert.equal(status, 0, output);
  return /built in/.test(output);
}

test("it builds when a source has other content, and not when it was only touched", async () => {
  const file = project.file("src/base/limits.ts");
  assert.equal(await builds(), true);
  assert.equal(await builds(), false);
  const then = new Date("2020-02-02");
  utimesSync(file, then, then);
  assert.equal(await builds(), false);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("/** ", "/**\t"));
  utimesSync(file, then, then);
  assert.equal(await builds(), true, "other content of the same size and time");
  project.remove("src/base/text/data/NOTICE");
  assert.equal(await builds(), true, "a file less");
});

test("where only a text changed, only the documentation is made anew", async () => {
  await builds();
  appendFileSync(project.file("docs/geo.md"), "\n## A new heading\n");
  const { status, output } = await project.run("build.mjs").ended;
  assert.equal(status, 0, output);
  assert.match(output, /made the documentation/);
  const page = brotliDecompressSync(readFileSync(project.file("dist/docs/geo.html.br"))).toString();
  assert.match(page, /<h2 id="a-new-heading">/);
  assert.equal((await project.run("build.mjs").ended).output, "");
});

test("sources that are wrong are named, and what was built before stays", async () => {
  await builds();
  const file = project.file("src/base/limits.ts");
  const text = readFileSync(file, "utf8");
  appendFileSync(file, "const = 1;\n");
  const { status, output } = await project.run("build.mjs").ended;
  assert.equal(status, 1);
  assert.match(output, /src\/base\/limits\.ts:\d+:6/);
  writeFileSync(file, text);
  assert.equal(await builds(), false);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { MEMORY_SETTINGS, missingMemorySettings } from "../../src/server/cli/memory-settings.ts";
import { OPTION_TABLE } from "../../src/server/options/table.ts";
import { type Stage, stagesOf } from "./dockerfile.ts";

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");

const stages = stagesOf(read("Dockerfile"));
const image = stages.at(-1)!;

function textsOf(stage: Stage, name: string): string[] {
  return stage.instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

test("the image has a user by number, who owns the data", () => {
  const [user] = textsOf(image, "USER");
  assert.match(user!, /^[1-9]\d*:[1-9]\d*$/);
  const [data] = textsOf(image, "COPY").filter((text) => text.endsWith(" /data"));
  assert.ok(data?.includes(`--chown=${user} `));
  assert.deepEqual(textsOf(image, "VOLUME"), ["/data"]);
});

test("the image is stopped, started and asked through the program itself", () => {
  assert.deepEqual(textsOf(image, "STOPSIGNAL"), ["SIGTERM"]);
  assert.deepEqual(JSON.parse(textsOf(image, "ENTRYPOINT")[0]!), ["sabre-search"]);
  const [check] = textsOf(image, "HEALTHCHECK");
  assert.deepEqual(JSON.parse(check!.slice(check!.indexOf("["))), ["sabre-search", "health"]);
  const { bin } = JSON.parse(read("package.json")) as { bin: Record<string, string> };
  const [build] = stages;
  assert.ok(build?.instructions.some(({ text }) => text.includes(`ln -s /app/${bin["sabre-search"]} `)));
});

test("the image is Node and the build on a small system, and nothing runs in it before it is started", () => {
  assert.match(image.base, /^debian:\w+-slim$/);
  assert.deepEqual(textsOf(image, "RUN"), []);
  const copied = textsOf(image, "COPY").map((text) => /--from=(\w+) .*?(\S+) \S+$/.exec(text)?.slice(1));
  assert.deepEqual(copied, [
    ["node", "/usr/local/bin/node"],
    ["build", "/image/"],
    ["build", "/empty"],
  ]);
  // A binary made for one version of Node does not load in another.
  const [build, node] = stages;
  assert.equal(build?.base, node?.base);
});

test("what the examples set in the environment are options", () => {
  const known = OPTION_TABLE.map(({ name, env }) => env ?? `MEILI_${name.replaceAll("-", "_").toUpperCase()}`);
  for (const file of [
    "Dockerfile",
    "compose.yaml",
    "deploy/compose.cluster.yaml",
    "deploy/sabre-search.service",
    "docs/deployment.md",
  ]) {
    const named = read(file).match(/\bMEILI_\w+/g) ?? [];
    assert.ok(named.length > 0, file);
    for (const name of named) assert.ok(known.includes(name), `${name} in ${file}`);
  }
});

test("what containers keep lies in volumes that the same file has", () => {
  for (const file of ["compose.yaml", "deploy/compose.cluster.yaml"]) {
    const text = read(file);
    const volumes = text.slice(text.lastIndexOf("\nvolumes:"));
    const mounted = [...text.matchAll(/(?<=[\s["])([\w-]+):\/data\b/g)].map(([, name]) => name!);
    assert.ok(mounted.length > 0, file);
    assert.equal(new Set(mounted).size, mounted.length, file);
    for (const name of mounted) {
      // One letter before a colon is a drive of Windows, and what follows is no longer where it is mounted.
      assert.ok(name.length > 1, `${name} in ${file}`);
      assert.match(volumes, new RegExp(`[\\s{]${name}:`), file);
    }
  }
});

test("image and unit bring what the program would start itself once more for", () => {
  for (const file of ["Dockerfile", "deploy/sabre-search.service"]) {
    const set = Object.fromEntries(
      [...read(file).matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    assert.deepEqual(set, MEMORY_SETTINGS, file);
    assert.deepEqual(missingMemorySettings(set), {}, file);
  }
});

test("proxies pass on at once what comes piece by piece", () => {
  const routes = ["/chats/some-workspace/chat/completions", "/logs/stream"];
  const others = ["/chats", "/chats/some-workspace/settings", "/logs/stderr", "/indexes/a/search"];
  const patterns = ["deploy/nginx.conf", "deploy/Caddyfile"].map((file) => {
    const [pattern] = /\^\/\(\S+\)\$/.exec(read(file)) ?? [];
    assert.ok(pattern, file);
    return new RegExp(pattern);
  });
  for (const pattern of patterns) {
    for (const route of routes) assert.match(route, pattern);
    for (const other of others) assert.doesNotMatch(other, pattern);
  }
});

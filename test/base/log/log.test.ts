import assert from "node:assert/strict";
import test from "node:test";
import { Log } from "../../../src/base/log/log.ts";
import { isWanted, levelNumber, parseTarget } from "../../../src/base/log/target.ts";

test("targets: a level, levels by module, the longest name decides", () => {
  const target = parseTarget("warn,front=debug,front/send=off");
  assert.ok(target);
  assert.equal(isWanted(target, levelNumber("info"), "writer"), false);
  assert.equal(isWanted(target, levelNumber("debug"), "front"), true);
  assert.equal(isWanted(target, levelNumber("error"), "front/send"), false);
  for (const bad of ["", " ", "==", "a=b", "=info", "a==info", "info,,"]) assert.equal(parseTarget(bad), null, bad);
});

test("lines for people are one line each; lines for machines are JSON", () => {
  const lines: string[] = [];
  new Log("info", "human", (line) => lines.push(line)).info("main", "two\nlines", { name: 'a"b', count: 2 });
  assert.match(lines[0]!, /^\S+Z {2}INFO main: two \| lines name="a\\"b" count=2\n$/);
  new Log("info", "json", (line) => lines.push(line)).warn("main", "text", { a: null });
  const parsed = JSON.parse(lines[1]!);
  assert.deepEqual([parsed.level, parsed.target, parsed.fields], ["WARN", "main", { message: "text", a: null }]);
});

test("levels can change while running, and one listener can have its own", () => {
  const console: string[] = [];
  const listener: string[] = [];
  const log = new Log("warn", "human", (line) => console.push(line));
  assert.equal(log.wants("debug"), false);
  const stop = log.listen(parseTarget("debug")!, "json", (line) => listener.push(line));
  assert.ok(stop);
  assert.equal(
    log.listen(parseTarget("debug")!, "json", () => {}),
    null,
  );
  log.debug("front", "seen by the listener");
  assert.deepEqual([console.length, listener.length], [0, 1]);
  stop();
  assert.equal(log.wants("debug"), false);
  assert.equal(log.setConsoleTarget("front=trace"), true);
  assert.equal(log.setConsoleTarget("nonsense=nonsense"), false);
  log.trace("front", "seen");
  log.error("writer", "not wanted any more");
  assert.equal(console.length, 1);
});

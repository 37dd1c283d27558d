import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readWait } from "../../../src/base/contract/prefer.ts";

const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,8}$/);
const quoted = fc.string({ maxLength: 8 }).map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`);
const space = fc.constantFrom("", " ", "\t ", "  ");
const word = fc.oneof(token, quoted);
const pair = fc
  .tuple(token, space, fc.option(fc.tuple(space, fc.option(word))))
  .map(([name, before, value]) => (value === null ? name : `${name}${before}=${value[0]}${value[1] ?? ""}`));
const parameters = fc
  .array(fc.tuple(space, space, fc.option(pair)), { maxLength: 3 })
  .map((list) => list.map(([before, after, text]) => `${before};${after}${text ?? ""}`).join(""));
const other = fc.tuple(pair, parameters).map(([preference, rest]) => preference + rest);
const notWait = other.filter((text) => !/^wait[\s=;]*/i.test(text) || /^wait[^\s=;]/i.test(text));

test("`wait` is found among whatever else is preferred, however it is spelled", () => {
  const wait = fc.tuple(
    fc.constantFrom("wait", "Wait", "WAIT"),
    space,
    space,
    fc.nat(999_999_999),
    fc.boolean(),
    parameters,
  );
  fc.assert(
    fc.property(
      fc.array(notWait, { maxLength: 4 }),
      wait,
      fc.array(other, { maxLength: 4 }),
      fc.array(space, { minLength: 10, maxLength: 10 }),
      (before, [name, left, right, seconds, isQuoted, rest], after, spaces) => {
        const value = isQuoted ? `"${seconds}"` : String(seconds);
        const list = [...before, `${name}${left}=${right}${value}${rest}`, ...after];
        const header = list.map((text, i) => `${spaces[i % 10]}${text}${spaces[(i + 1) % 10]}`).join(",");
        assert.equal(readWait(header), seconds, header);
      },
    ),
  );
});

test("without a wait that makes sense there is none", () => {
  fc.assert(fc.property(fc.array(notWait, { maxLength: 5 }), (list) => assert.equal(readWait(list.join(",")), null)));
  const senseless = ["", ",", "wait", "wait=", "wait=-1", "wait=1.5", "wait=ten", 'wait="', "wait=1 2", "wait=0x10"];
  for (const header of [...senseless, "respond-async", "waiting=3", "a;wait=3", "wait=1234567890"]) {
    assert.equal(readWait(header), null, header);
  }
});

test("of two only the first counts, and empty items count for nothing", () => {
  assert.equal(readWait("wait=3, wait=5"), 3);
  assert.equal(readWait("wait=x, wait=5"), null);
  assert.equal(readWait(', ,respond-async;a="b,wait=9";c , wait = "7" ;d'), 7);
  assert.equal(readWait("wait=0"), 0);
  assert.equal(readWait("=3, wait=2"), 2);
});

test("any text is read, quickly", () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void readWait(text)));
  for (const part of ["a;", 'a="\\', "a=;a=", " ", ",", "a;;a="]) {
    const begin = process.cpuUsage();
    readWait(`${part.repeat(60_000 / part.length)}\u0000`);
    const workedMs = process.cpuUsage(begin).user / 1000;
    assert.ok(workedMs < 1000, `${part} took ${workedMs} ms of work`);
  }
});

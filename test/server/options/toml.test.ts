import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parseToml } from "../../../src/server/options/toml.ts";

function values(text: string): Record<string, unknown> {
  const parsed = parseToml(text);
  assert.ok("values" in parsed, JSON.stringify(parsed));
  return Object.fromEntries(parsed.values);
}

test("keys with strings, numbers and booleans, and comments", () => {
  const text = `# a comment
db_path = "./data" # where
  http_addr='localhost:1'
readers = 1_000
ratio = -0.5e1
flag = true
"quoted" = false
`;
  assert.deepEqual(values(text), {
    db_path: "./data",
    http_addr: "localhost:1",
    readers: 1000,
    ratio: -5,
    flag: true,
    quoted: false,
  });
});

test("what only whole TOML knows: strings of several lines, other bases, a byte order mark", () => {
  assert.deepEqual(values('\uFEFFkey = """\nfirst\nsecond"""\nreaders = 0x10\n'), {
    key: "first\nsecond",
    readers: 16,
  });
});

test("what is no TOML is refused with its line, and without what stands there", () => {
  for (const line of [
    "a",
    "a = ",
    "a = 01",
    "a = tru",
    'a = "secret',
    'a = "secret" y',
    'a = "secret\\q"',
    "a = 'secret' 'y'",
    "ok = 2",
  ]) {
    const parsed = parseToml(`ok = 1\n${line}\n`);
    assert.ok("problem" in parsed, line);
    assert.equal(parsed.line, 2, line);
    assert.doesNotMatch(parsed.problem, /secret|Invalid TOML|\n/, line);
  }
});

test("values that no option has are refused by their key", () => {
  for (const line of ["[a]", "[[a]]", "a = [1]", "a = {}", "a = 1979-05-27", "a = inf", "a = nan", "a.b = 1"]) {
    const parsed = parseToml(`ok = 1\n${line}\n`);
    assert.ok("problem" in parsed, line);
    assert.match(parsed.problem, /the value of `a`/, line);
  }
});

test("any text survives being written as a basic string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      // JSON strings are basic strings once the solidus stays bare, as the serializer leaves it.
      assert.deepEqual(values(`a = ${JSON.stringify(text.toWellFormed())}`), { a: text.toWellFormed() });
    }),
  );
});

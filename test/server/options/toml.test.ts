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

test("what is not understood is refused with its line", () => {
  for (const line of [
    "[table]",
    "a",
    "a = ",
    "a = [1]",
    "a = 1979-05-27",
    'a = "open',
    'a = "x" y',
    'a = """x"""',
    "a = 01",
    "a = tru",
    'a = "\\q"',
    "a.b = 1",
    "a = 'x' 'y'",
  ]) {
    const parsed = parseToml(`ok = 1\n${line}\n`);
    assert.ok("problem" in parsed, line);
    assert.equal(parsed.line, 2);
  }
  assert.ok("problem" in parseToml("a = 1\na = 2"));
});

test("any text survives being written as a basic string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      // JSON strings are basic strings once the solidus stays bare, as the serializer leaves it.
      assert.deepEqual(values(`a = ${JSON.stringify(text.toWellFormed())}`), { a: text.toWellFormed() });
    }),
  );
});

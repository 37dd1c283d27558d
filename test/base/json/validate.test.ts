import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isSpace, type JsonProblem, JsonScanner, problemAt, utf8Problem } from "../../../src/base/json/validate.ts";
import { limits } from "../../../src/base/limits.ts";
import { jsonText } from "./arbitrary.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** One value and white space around it; `end` of the answer is after the value. */
function validateJson(bytes: Uint8Array, start: number, end: number): { end: number } | JsonProblem {
  const scanner = new JsonScanner();
  let valueEnd = scanner.value(bytes, start, end);
  if (valueEnd >= 0) {
    let at = valueEnd;
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at < end) valueEnd = scanner.fail("trailing characters", at);
  }
  const encoding = utf8Problem(bytes, start, end);
  if (encoding !== null && (valueEnd >= 0 || encoding.offset < scanner.offset)) return encoding;
  return valueEnd < 0 ? problemAt(bytes, start, end, scanner.problem, scanner.offset) : { end: valueEnd };
}

function problemOf(input: string | Uint8Array): string | null {
  const bytes = typeof input === "string" ? encode(input) : input;
  const result = validateJson(bytes, 0, bytes.length);
  return "problem" in result ? result.problem : null;
}

/** What the language's own parser makes of it: refused, accepted, or accepted although ours is stricter there. */
function oracle(text: string): "refused" | "accepted" | "lax" {
  let lax = false;
  try {
    JSON.parse(text, (name, value) => {
      if (typeof value === "number" && !Number.isFinite(value)) lax = true;
      if (!name.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) lax = true;
      return value;
    });
    return lax ? "lax" : "accepted";
  } catch {
    return "refused";
  }
}

describe("JSON validation", () => {
  it("accepts every valid text and finds its end", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = encode(` ${text} `);
        assert.deepEqual(validateJson(bytes, 0, bytes.length), { end: bytes.length - 1 });
      }),
      { numRuns: 500 },
    );
  });

  it("agrees with JSON.parse on mutated texts", () => {
    const junk = fc.constantFrom(...'{}[]:,"\\u0123eE+-.tfn d8é\u0001\n', "\\ud800", "\\udc00", "1e999", "null");
    fc.assert(
      fc.property(jsonText, fc.nat(), fc.nat({ max: 3 }), junk, (text, where, cut, insert) => {
        const at = where % (text.length + 1);
        const mutated = (text.slice(0, at) + insert + text.slice(at + cut)).toWellFormed();
        const problem = problemOf(mutated);
        const said = oracle(mutated);
        if (problem === null) assert.equal(said, "accepted", mutated);
        else if (!/out of range|surrogate/.test(problem)) assert.equal(said, "refused", mutated);
      }),
      { numRuns: 3000 },
    );
  });

  it("agrees with the decoder on what is UTF-8, and points at the first bad byte", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const piece = fc.oneof(
      fc.constantFrom([0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80], [0xff]),
      fc.string({ unit: "grapheme", maxLength: 3 }).map((text) => [...encode(JSON.stringify(text).slice(1, -1))]),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const bytes = Uint8Array.from([0x22, ...pieces.flat(), 0x22]);
        let valid = true;
        try {
          decoder.decode(bytes);
        } catch {
          valid = false;
        }
        const result = validateJson(bytes, 0, bytes.length);
        assert.equal("end" in result, valid);
        if ("problem" in result) {
          assert.doesNotThrow(() => decoder.decode(bytes.subarray(0, result.offset)));
          assert.match(result.problem, /unicode/);
        }
      }),
    );
  });

  it("tells line and column", () => {
    assert.match(problemOf('[{"id": 1}, {id: 2}]')!, /key must be a string at line 1 column 14$/);
    assert.match(problemOf('{\n "a": 1,\n}')!, /trailing comma at line 3 column 1$/);
    assert.match(problemOf('{"a" 1}')!, /expected `:` at line 1 column 6$/);
    assert.match(problemOf("[1 2]")!, /expected `,` or `\]` at line 1 column 4$/);
    assert.match(problemOf("{} x")!, /trailing characters at line 1 column 4$/);
    assert.match(problemOf('{"a": "b')!, /end inside a string at line 1 column 8$/);
    assert.match(problemOf("")!, /line 1 column 0$/);
  });

  it("refuses what the interface refuses although other parsers let it pass", () => {
    for (const text of ['"\\ud800"', '"\\ud800x"', '"\\udc00"', '"\\ud800\\u0041"']) {
      assert.match(problemOf(text)!, /surrogate/, text);
    }
    assert.match(problemOf("1e999")!, /out of range/);
    assert.match(problemOf(`-${"9".repeat(400)}`)!, /out of range/);
    assert.match(problemOf('"a\tb"')!, /control character/);
    for (const text of ["01", "1.", ".5", "+1", "-", "1e", "NaN", "tru", "'a'", '"\\x"', '"\\u12g4"', "[1,]", "[,1]"]) {
      assert.notEqual(problemOf(text), null, text);
    }
  });

  it("bounds nesting without using the stack", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    assert.equal(problemOf(nested(limits.jsonDepth)), null);
    assert.match(problemOf(nested(limits.jsonDepth + 1))!, /too deep/);
    assert.match(problemOf(nested(100_000))!, /too deep/);
    assert.match(problemOf('{"a":'.repeat(100_000))!, /too deep/);
  });
});

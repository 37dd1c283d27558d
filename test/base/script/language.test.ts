/**
 * The interface: `function` is a "script function with variable `doc` for the current document, Rhai syntax". Each row is an
 * expression and what an engine of the language gives for it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../src/base/json/value.ts";
import { compileEdit } from "../../../src/base/script/edit.ts";
import { failure, resultOf } from "./support.ts";

function check(rows: Record<string, Json>): void {
  for (const [expression, expected] of Object.entries(rows))
    assert.deepEqual(resultOf(expression), expected, expression);
}

const after = (value: string, change: string) => `{ let x = ${value}; ${change}; x }`;

describe("functions in Rhai syntax: the language", () => {
  it("gives the value of the last statement of a block, with a semicolon or without", () => {
    check({
      "{ 1; 2; }": 2,
      "{ let a = 1; a + 1; }": 2,
      "{ let a = 1; }": null,
      "{ let a = 1; a = 5; }": null,
      "{ }": null,
      "if true { 5; } else { 6; }": 5,
      "switch 1 { 1 => { 7; } }": 7,
      "double(3); fn double(n) { n * 2; }": 6,
      "[1, 2].map(|n| { n * 2; })": [2, 4],
      "{ let a = [1]; let b = if true { a; }; b.push(2); [a, b] }": [[1], [1, 2]],
    });
  });

  it("reads and writes parts of strings, from the end too", () => {
    check({
      '["abcdef"[-3..-1], "abcdef"[1..=-2], "abc"[5..9], "abc"[2..1], "abc"[..], "abc"[..=1]]': [
        "de",
        "bcde",
        "",
        "",
        "abc",
        "ab",
      ],
      [after('"abcdef"', 'x[-3..-1] = "ZZZZ"')]: "abcZZZZf",
      [after('"abcdef"', "x[1..=2] = 7")]: "a7def",
      [after('"abcdef"', 'x[..2] += "Z"')]: "abZcdef",
      [after('"abc"', 'x[7..9] = "Z"')]: "abcZ",
      [after('"añb"', "x[-2] = 'n'")]: "anb",
    });
    assert.match(failure('let x = "abc"; x[0] = "q";'), /expected a char, found string/);
  });

  it("reads literals as they are written down", () => {
    check({
      '"a""b"': 'a"b',
      "[0xff, 0xffffffffffffffff, 0b11, 0o17, 1_000, 5.]": [255, -1, 3, 15, 1000, 5],
      "`a${}b${let q = 5; q * 2}`": "ab10",
      "`\nline \\${x} \\n`.split(`x`)": ["line ${", "} \\n"],
      "`${if true { `in${`ner`}` }}`": "inner",
    });
    assert.equal(resultOf('"ab\\\n                 cd\\\n  ef"'), "ab   cdef");
    assert.ok("problem" in compileEdit("doc.x = 0x10000000000000000;"));
    assert.ok("problem" in compileEdit('doc.x = "a"b";'));
  });

  it("writes floats with an exponent where it does", () => {
    check({
      "`${1e13} ${9e12} ${0.0000005} ${-0.000123} ${0.00000001}`": "1e13 9000000000000.0 0.0000005 -0.000123 1e-8",
      "[5e-5, 1e16, 1e15, 0.0001].to_string()": "[5e-5, 1e16, 1000000000000000.0, 0.0001]",
    });
  });

  it("leaves the rest of a path out behind `?.` and `?[` of nothing", () => {
    check({
      "{ let x = (); [x?.a.b.c, x?[0].b, x?.a.len()] }": [null, null, null],
      "{ let x = #{a: ()}; x.a?.b.c }": null,
      "{ let x = (); x?.a = 5; x }": null,
    });
    assert.match(failure("let x = (); doc.r = x.a;"), /no property/);
  });

  it("calls a function with something under `this`", () => {
    check({
      "{ let f = |y| this.x + y; #{x: 4}.call(f, 3) }": 7,
      [after("3", "x.call(|y| this += y, 2)")]: 5,
      "{ let f = |a| { a }.curry(3); f.call() }": 3,
    });
  });

  it("has one variable for all turns of a loop", () => {
    check({
      "{ let all = []; for i in 0..3 { all.push(|| i); } all.map(|f| f.call()) }": [2, 2, 2],
      "{ let all = []; for i in 0..3 { let own = i; all.push(|| own); } all.map(|f| f.call()) }": [0, 1, 2],
      "{ let sum = 0; for (v, i) in [5, 6] { v += i; sum += v; } sum }": 12,
    });
  });

  it("works on blobs, which are lists of bytes", () => {
    check({
      "[blob(), blob(2), blob(2, 321), blob(-1)]": [[], [0, 0], [65, 65], []],
      "[type_of(blob()), blob(2, 65).as_string(), blob(9, 10).to_string(), blob(2, 7).to_array()]": [
        "blob",
        "AA",
        "[0a0a0a0a0a0a0a0a 0a]",
        [7, 7],
      ],
      '"hé".to_blob()': [104, 195, 169],
      [after("blob(2, 1)", "x += 300; x += 'a'; x += \"é\"; x += blob(1, 9)")]: [1, 1, 44, 97, 195, 169, 9],
      [after("blob(3, 1)", "x[0] = 258; x[-1] = -1; x.push(256)")]: [2, 1, 255, 0],
      "{ let x = blob(2, 1); let y = x; y.push(5); [x, y, x == blob(2, 1), 1 in x, x + x] }": [
        [1, 1],
        [1, 1, 5],
        true,
        true,
        [1, 1, 1, 1],
      ],
      "{ let b = blob(2, 1); [b.get(9), b.pop(), b.shift(), b.pop(), b.len, b.is_empty()] }": [0, 1, 1, 0, 0, true],
      [after("blob(5, 1)", "x.splice(1..3, blob(1, 9)); x.insert(0, 7); x.truncate(4); x.reverse()")]: [1, 9, 1, 7],
      "{ let b = [1, 2, 3].reduce(|b, v| { b += v; b }, blob()); [b.extract(1), b.drain(0..1), b.retain(1, 1), b] }": [
        [2, 3],
        [1],
        [2],
        [3],
      ],
      "{ let b = blob(8); b.write_le(1..3, 0x12345678); [b, b.parse_le_int(1..3).to_hex(), b.parse_be_int(0, 3).to_hex()] }":
        [[0, 0x78, 0x56, 0, 0, 0, 0, 0], "5678", "78560000000000"],
      "{ let b = blob(8); b.write_be(0, 8, 1.5); [b.parse_be_float(0, 8), b.parse_le_float(0, 0)] }": [1.5, 0],
      '{ let b = blob(8); b.write_utf8(1..5, "朝に"); b.write_ascii(6, 2, "éab"); b }': [
        0, 0xe6, 0x9c, 0x9d, 0xe3, 0, 97, 98,
      ],
      "{ let sum = 0; for b in blob(3, 5) { sum += b; } sum }": 15,
    });
    assert.match(failure("blob(2000000)"), /too large/);
    assert.match(failure("let b = blob(1); b.drain(|v| v > 0);"), /expected an integer/);
  });

  it("says no to what has no order, and to what cannot be in something", () => {
    for (const source of ["[1] < [2]", "#{} >= #{}", "(0..1) > (0..2)", '5 in "5"', "() in #{}", '"a" in 0..3']) {
      assert.match(failure(`doc.r = ${source};`), /no order|does not apply/, source);
    }
    assert.match(failure("let a = [1]; a.dedup(2);"), /expected a function/);
    check({ '[1 < "a", [1] < 2, () < (), 2 in [1, "a"]]': [false, false, false, false] });
  });
});

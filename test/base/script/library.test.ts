/**
 * The interface: `function` is a "script function with variable `doc` for the current document, Rhai syntax".
 * Each row is an expression and what the language's documentation and its own library say it gives.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../src/base/json/value.ts";

import { failure, resultOf } from "./support.ts";

type Rows = Record<string, Json>;

function check(rows: Rows): void {
  for (const [expression, expected] of Object.entries(rows)) {
    assert.deepEqual(resultOf(expression), expected, expression);
  }
}

/** A variable is changed, then shown. */
const after = (value: string, change: string) => `{ let x = ${value}; ${change}; x }`;
const both = (value: string, call: string) => `{ let x = ${value}; let y = ${call}; [x, y] }`;

describe("functions in Rhai syntax: what the library does with values", () => {
  it("tells characters from strings", () => {
    check({
      "type_of('a')": "char",
      'type_of("a")': "string",
      'type_of("abc"[1])': "char",
      "[type_of(1), type_of(1.5), type_of(true), type_of(()), type_of([]), type_of(#{})]": [
        "i64",
        "f64",
        "bool",
        "()",
        "array",
        "map",
      ],
      "[type_of(0..2), type_of(0..=2), type_of(|x| x)]": ["range", "range=", "Fn"],
      "'a' == \"a\" && 'a' < 'b' && 'a' != \"ab\"": true,
      "'a' + 'b' + \"c\" + 'd'": "abcd",
      "\"banana\" - 'a' + ('x' in \"xyz\")": "bnntrue",
      "['ß'.to_upper(), 'é'.to_upper(), 'A'.to_int(), 'a'.max('b')]": ["ß", "É", 65, "b"],
      [after('"abc"', "x[1] = 'X'")]: "aXc",
      "'\\u00e9'": "é",
    });
    assert.match(failure("doc.x = 'a' * 2"), /does not apply/);
  });

  it("goes through ranges, with steps too", () => {
    const through = (range: string) => `{ let all = []; for i in ${range} { all.push(i); } all }`;
    check({
      [through("range(0, 10, 3)")]: [0, 3, 6, 9],
      [through("range(10, 0, -4)")]: [10, 6, 2],
      [through("range(0..10, 5)")]: [0, 5],
      [through("range(0, 3)")]: [0, 1, 2],
      [through("2..=4")]: [2, 3, 4],
      [through("range(0.0, 1.0, 0.5)")]: [0, 0.5],
      [through("range(0, 10, -1)")]: [],
      [through('"añ"')]: ["a", "ñ"],
      "[(1..5).start, (1..5).end, (1..=5).end, (1..5).is_inclusive, (3..3).is_empty(), (3..=3).is_empty]": [
        1,
        5,
        5,
        false,
        true,
        false,
      ],
      "[`abcdef`.sub_string(..2), [1, 2, 3].extract(1..), [1, 2, 3].extract(..=0)]": ["ab", [2, 3], [1]],
      "[(1..5).contains(5), (1..=5).contains(5), 3 in 1..5]": [false, true, true],
    });
    assert.match(failure("for i in range(0, 5, 0) {}"), /zero/);
  });

  it("gives the value of a loop by break", () => {
    check({
      "loop { break 7; }": 7,
      "{ let n = 0; while true { n += 1; if n == 3 { break n * 2; } } }": 6,
      "{ let n = 0; do { n += 1; if n == 2 { break n; } } while n < 9 }": 2,
      "for i in 0..9 { if i == 4 { break i; } }": 4,
      "for i in 0..3 { }": null,
      "for i in [1, 2, 3] { switch i { 1 => continue, 2 => break `two`, _ => () } }": "two",
    });
  });

  it("works on integers", () => {
    check({
      "[255.to_hex(), 8.to_octal(), 5.to_binary(), (-1).to_hex()]": ["ff", "10", "101", "ffffffffffffffff"],
      '[parse_int("ff", 16), "-101".parse_int(2), parse_int(" +7 ")]': [255, -5, 7],
      "[abs(-3), sign(-3), sign(0), 3.is_odd, 3.is_even(), 0.is_zero]": [3, -1, 0, true, false, true],
      "[min(2, 3), max(2, 3), max(2, 2.5), min(2, 2.5)]": [2, 3, 2.5, 2],
      "[7 / 2, -7 / 2, -7 % 3, 2 ** 10, 6 & 3, 6 | 3, 6 ^ 3]": [3, -3, -1, 1024, 2, 7, 5],
      "[1 << 3, 16 >> 2, 1 << 70, -1 >> 70, 16 << -2]": [8, 4, 0, -1, 4],
      "[3.to_float(), 3.9.to_int(), -3.9.to_int()]": [3, 3, -3],
      "1 == 1.0 && 0.1 + 0.2 == 0.3 && !(0.1 + 0.2 > 0.3)": true,
    });
    for (const source of [
      "9223372036854775807 + 1",
      "-9223372036854775807 - 2",
      "9223372036854775807 * 2",
      "2 ** 63",
      "(-9223372036854775807 - 1).abs()",
      "(-9223372036854775807 - 1) / -1",
      "(-9223372036854775807 - 1) % -1",
      "1e19.to_int()",
      'parse_int("9223372036854775808")',
    ]) {
      assert.match(failure(`doc.x = ${source};`), /overflow/, source);
    }
    assert.match(failure('doc.x = parse_int("12", 2);'), /not an integer/);
    assert.match(failure('doc.x = parse_int("1", 1);'), /radix/);
    assert.match(failure("doc.x = sin(1);"), /sin\(i64\) is not defined/);
  });

  it("works on bits of integers", () => {
    check({
      "[5.get_bit(0), 5.get_bit(1), 5[2], (-1)[-1]]": [true, false, true, true],
      [after("5", "x.set_bit(1, true)")]: 7,
      [after("0", "x[3] = true; x[0..2] = 3")]: 11,
      "[0xabcd.get_bits(4, 8), 0xabcd.get_bits(4..12), 0xabcd[4..=11]]": [0xbc, 0xbc, 0xbc],
      [after("0", "x.set_bits(4, 4, 15); x.set_bits(0..2, 1)")]: 0xf1,
      "6.bits(0, 4)": [false, true, true, false],
      "0.bits.len()": 64,
    });
    assert.match(failure("doc.x = 1.get_bit(64)"), /out of bounds/);
  });

  it("works on floats", () => {
    check({
      "[PI() > 3.14, E() < 2.72]": [true, true],
      "[2.5.floor(), 2.5.ceiling(), 2.5.round(), (-2.5).round(), 2.5.int, 2.5.fraction]": [2, 3, 3, -3, 2, 0.5],
      "[sqrt(9.0), exp(0.0), ln(1.0), log(100.0), log(8.0, 2.0), hypot(3.0, 4.0)]": [3, 1, 0, 2, 3, 5],
      "[sin(0.0), cos(0.0), atan(1.0, 1.0) == PI() / 4.0, to_degrees(PI()), to_radians(180.0) == PI()]": [
        0,
        1,
        true,
        180,
        true,
      ],
      "[(0.0 / 0.0).is_nan, (1.0 / 0.0).is_infinite, 1.5.is_finite(), 0.0.is_zero, (-1.5).sign(), (-1.5).abs()]": [
        true,
        true,
        true,
        true,
        -1,
        1.5,
      ],
      '[parse_float("1.5e3"), parse_float(" -2 "), parse_float("inf").is_infinite]': [1500, -2, true],
      "`${1.0} ${1e20} ${0.00000001} ${-0.0}`": "1.0 1e20 1e-8 0.0",
    });
    assert.match(failure('doc.x = parse_float("0x10")'), /not a number/);
    assert.match(failure("doc.x = (0.0 / 0.0).sign()"), /sign/);
  });

  it("works on strings", () => {
    check({
      '["héé".len, "héé".bytes, "".is_empty, "a b".chars()]': [3, 5, true, ["a", " ", "b"]],
      '["hello".chars(1..3), "hello".chars(-2), "hello".to_chars().len()]': [["e", "l"], ["l", "o"], 5],
      '["abc".sub_string(1), "abc".sub_string(-2, 1), "abc".sub_string(0..=1), "abc".sub_string(9)]': [
        "bc",
        "b",
        "ab",
        "",
      ],
      '["abc"[1..3], "abc".get(-1), "abc".get(7)]': ["bc", "c", null],
      '["a,b,c".split(","), "a,b,c".split(",", 2), "a b  c".split(), "abc".split(1), "abc".split(-1)]': [
        ["a", "b", "c"],
        ["a", "b,c"],
        ["a", "b", "c"],
        ["a", "bc"],
        ["ab", "c"],
      ],
      '["a,b,c".split_rev(","), "a,b,c".split_rev(\',\', 2), "abc".split(""), "abc".split(",", 0)]': [
        ["c", "b", "a"],
        ["c", "a,b"],
        ["", "a", "b", "c", ""],
        ["abc"],
      ],
      '["abcabc".index_of("c"), "abcabc".index_of(\'c\', 3), "abc".index_of("a", -1), "abc".index_of("x")]': [
        2, 5, -1, -1,
      ],
      '["b".min("a"), "b".max("a"), "a".contains(\'a\'), "abc".starts_with("ab"), "abc".ends_with(\'c\')]': [
        "a",
        "b",
        true,
        true,
        true,
      ],
      [after('"ab"', 'x.pad(7, "xyz")')]: "abxyzxy",
      [after('"ab"', "x.pad(4, '!')")]: "ab!!",
      [after('"abcdef"', "x.crop(1, 3)")]: "bcd",
      [after('"abcdef"', "x.crop(2..)")]: "cdef",
      [after('"abcdef"', "x.truncate(2)")]: "ab",
      [after('"abcdef"', "x.truncate(-2)")]: "",
      [after('"  a b\\t"', "x.trim()")]: "a b",
      [after('"banana"', 'x.replace("an", "<>"); x.remove(\'b\'); x.append(1); x.make_upper()')]: "<><>A1",
      [after('"abc"', "x.set(-1, 'Z')")]: "abZ",
      [both('"abc"', "x.pop()")]: ["ab", "c"],
      [both('"abc"', "x.pop(2)")]: ["a", "bc"],
      [after('"abc"', "x.clear()")]: "",
      '["a" + 1 + (), `${[1, "x", \'c\', ()]}`]': ["a1", '[1, "x", c, ()]'],
      "#{b: 1.0, a: #{}}.to_string()": '#{"a": #{}, "b": 1.0}',
      '"é" < "z"': false,
    });
  });

  it("works on arrays", () => {
    check({
      [after("[1, 2, 3, 4]", "x.chop(2)")]: [3, 4],
      [after("[1, 2, 3]", "x.truncate(2)")]: [1, 2],
      [after("[1]", "x.pad(3, 0)")]: [1, 0, 0],
      [after("[1, 2, 3]", "x.insert(-1, 9); x.insert(99, 8)")]: [1, 2, 9, 3, 8],
      [both("[1, 2, 3, 4]", "x.split(1)")]: [[1], [2, 3, 4]],
      [both("[1, 2, 3, 4]", "x.split(-1)")]: [[1, 2, 3], [4]],
      [both("[1, 2, 3]", "x.remove(-3)")]: [[2, 3], 1],
      [both("[1, 2, 3]", "x.remove(7)")]: [[1, 2, 3], null],
      [both("[1, 2]", "[x.shift(), x.pop(), x.pop()]")]: [[], [1, 2, null]],
      [after("[1, 2, 3, 4]", "x.splice(1, 2, [7, 8, 9])")]: [1, 7, 8, 9, 4],
      [after("[1, 2, 3, 4]", "x.splice(1..=1, [])")]: [1, 3, 4],
      "[[1, 2, 3].extract(1), [1, 2, 3].extract(-2, 1), [1, 2, 3].extract(0..2)]": [[2, 3], [2], [1, 2]],
      [both("[1, 2, 3, 4]", "x.drain(|v| v % 2 == 0)")]: [
        [1, 3],
        [2, 4],
      ],
      [both("[1, 2, 3, 4]", "x.drain(1..3)")]: [
        [1, 4],
        [2, 3],
      ],
      [both("[1, 2, 3, 4]", "x.retain(|v, i| i > 1)")]: [
        [3, 4],
        [1, 2],
      ],
      [both("[1, 2, 3, 4]", "x.retain(1, 2)")]: [
        [2, 3],
        [1, 4],
      ],
      "[[1, 2].get(-1), [1, 2].get(2), [1, 2] + [3], [1, 2] == [1, 2.0], 2 in [1, 2]]": [
        2,
        null,
        [1, 2, 3],
        true,
        true,
      ],
      [after("[3, 1, 2]", "x.sort(|a, b| b - a)")]: [3, 2, 1],
      [after("[3, 1, 2]", "x.sort(|a, b| a < b)")]: [1, 2, 3],
      [after('["b", "a"]', "x.sort()")]: ["a", "b"],
      "[[2, 1].order(), [1, 2].order_desc()]": [
        [1, 2],
        [2, 1],
      ],
      [after("[1, 1, 2, 1]", "x.dedup()")]: [1, 2, 1],
      [after("[1, 3, 2, 4]", "x.dedup(|a, b| a % 2 == b % 2)")]: [1, 2],
    });
    assert.match(failure('let a = [1, "x"]; a.sort();'), /order/);
    assert.match(failure("doc.x = [1, 2][-3]"), /out of bounds/);
  });

  it("calls functions for the items of arrays", () => {
    check({
      "[1, 2].map(|v| v * 2)": [2, 4],
      "[1, 2].map(|| this * 3)": [3, 6],
      "[5, 6].map(|v, i| v * 10 + i)": [50, 61],
      "[1, 2, 3].reduce(|sum, v, i| sum + v * i, 0)": 8,
      '["a", "b"].reduce_rev(|all, v| all + v, "")': "ba",
      "[1, 2].reduce(|sum, v| (sum ?? 10) + v)": 13,
      "[[1, 2].some(|v| v > 1), [1, 2].all(|v| v > 1), [].all(|v| false), [].some(|v| true)]": [
        true,
        false,
        true,
        false,
      ],
      "[[4, 5, 6].find(|v| v > 4), [4, 5, 6].find(|v| v > 4, 2), [4].find(|v| v > 4)]": [5, 6, null],
      "[4, 5].find_map(|v| if v > 4 { `${v}!` })": "5!",
      "[[4, 5, 4].index_of(4), [4, 5, 4].index_of(4, 1), [4, 5].index_of(|v| v == 5), [4].index_of(7)]": [0, 2, 1, -1],
      "[1, 2, 3].zip([10, 20], |a, b| a + b)": [11, 22],
      [after("[1, 2]", "x.for_each(|i| this = this * 10 + i)")]: [10, 21],
      "[1, 2, 3].filter(|v| `yes`)": [],
    });
    assert.match(failure("doc.x = [1].map(|a, b, c| a);"), /parameters/);
  });

  it("works on maps", () => {
    check({
      "#{a: 1, b: 2, c: 3}.filter(|name, v| v > 1 && name != `c`)": { b: 2 },
      "#{a: 1, b: 2}.filter(|name| this == 1)": { a: 1 },
      "#{a: 1}.map(|name, v| name + v)": { a: "a1" },
      [both("#{a: 1, b: 2}", "x.drain(|name, v| v == 1)")]: [{ b: 2 }, { a: 1 }],
      [both("#{a: 1, b: 2}", "x.retain(|name, v| v == 1)")]: [{ a: 1 }, { b: 2 }],
      [after("#{a: 1}", "x.mixin(#{a: 2, b: 3}); x += #{c: 4}; x.fill_with(#{a: 9, d: 5})")]: {
        a: 2,
        b: 3,
        c: 4,
        d: 5,
      },
      "#{b: 1} + #{a: 2}": { b: 1, a: 2 },
      "[#{b: 1, a: 2}.keys(), #{b: 1, a: 2}.values(), #{a: 1}.remove(`a`), #{}.remove(`a`)]": [
        ["a", "b"],
        [2, 1],
        1,
        null,
      ],
      "[`a` in #{a: ()}, #{a: 1}.contains(`b`), #{a: 1} == #{a: 1}, #{a: 1}.get(`b`)]": [true, false, true, null],
      '#{a: [1, "x"]}.to_json()': '{"a":[1,"x"]}',
      'parse_json(`{"a": [1, 2.5, null]}`)': { a: [1, 2.5, null] },
    });
    assert.match(failure("doc.x = parse_json(`{`)"), /not JSON/);
  });

  it("holds functions as values", () => {
    check({
      "{ let f = |a, b| a - b; [f.call(5, 3), f.curry(10).call(4), call(f, 1, 1)] }": [2, 6, 0],
      "{ let f = Fn(`to_upper`); [f.call(`a`), f.name, f.is_anonymous] }": ["A", "to_upper", false],
      "[`a`, `b`].map(Fn(`to_upper`))": ["A", "B"],
      "twice(4); fn twice(n) { n * 2 }": 8,
      "[1, 2].map(twice); fn twice(n) { n * 2 }": [2, 4],
      "[is_def_fn(`f`, 1), is_def_fn(`f`, 2), is_def_var(`doc`)]; fn f(a) { a }": [true, false, true],
      "#{n: 2, times: |k| this.n * k}.times(4)": 8,
      [both("7", "take(x)")]: [null, 7],
    });
    assert.equal(resultOf("1; exit(); doc.result = 2"), 1);
    assert.match(failure("let f = |a| a; f.call(1, 2);"), /parameters/);
  });

  it("cuts and joins strings the same way, whatever is in them", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", ",", "é", "😀", " "), maxLength: 12 });
    fc.assert(
      fc.property(word, fc.integer({ min: -20, max: 20 }), fc.integer({ min: -5, max: 20 }), (text, start, count) => {
        const characters = [...text];
        const from = start < 0 ? Math.max(0, characters.length + start) : start;
        const results = resultOf(
          `{ let s = ${JSON.stringify(text)}; [s.sub_string(${start}, ${count}), s.split(","), s.split_rev(","), s.len()] }`,
        );
        const parts = text.split(",");
        assert.deepEqual(results, [
          characters.slice(from, from + Math.max(0, count)).join(""),
          parts,
          [...parts].reverse(),
          characters.length,
        ]);
      }),
    );
  });

  it("keeps to its limits in the library too", () => {
    for (const source of [
      "let a = []; a.pad(9000000000, 1);",
      "let a = [1]; loop { a.append(a); }",
      'let s = "x"; s.pad(900000000000, "y");',
      "let f = |g| g.call(g); f.call(f);",
      "let m = #{a: 1}; loop { m.to_json(); }",
      "for i in range(0.0, 1.0, 0.0000001) { }",
      "let a = []; a.pad(1000, 1); loop { a.sort(|x, y| x - y); }",
    ]) {
      assert.match(failure(source), /too (many|deeply|long|much|large)/, source);
    }
  });
});

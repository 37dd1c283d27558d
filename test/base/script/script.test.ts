import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileEdit, runEdit } from "../../../src/base/script/edit.ts";
import { objectText } from "../json/arbitrary.ts";
import { edited, failure, resultOf, run } from "./support.ts";

describe("editing a document by a function", () => {
  it("changes fields, adds fields, removes fields", () => {
    assert.equal(edited("doc.title = doc.title.to_upper()", { id: 1, title: "kefir" }), '{"id":1,"title":"KEFIR"}');
    assert.equal(
      edited(`doc["x"] += 1; doc.y = \`\${doc.id}-\${doc.x}\``, { id: 1, x: 2 }),
      '{"id":1,"x":3,"y":"1-3"}',
    );
    assert.equal(edited('doc.remove("x")', { id: 1, x: 2 }), '{"id":1}');
    assert.equal(edited("doc.a.b[1].c = doc.a.b[-1].c * 2", { a: { b: [0, { c: 4 }] } }), '{"a":{"b":[0,{"c":8}]}}');
    assert.equal(edited("doc.tags.push(context.tag)", { tags: ["a"] }, { tag: "b" }), '{"tags":["a","b"]}');
    assert.equal(edited("doc = #{id: doc.id, n: ()}", { id: 1, x: 2 }), '{"id":1,"n":null}');
  });

  it("deletes by (), and notices when nothing changes", () => {
    assert.deepEqual(run("if doc.id % 2 == 0 { doc = () }", { id: 2 }), { kind: "deleted" });
    assert.deepEqual(run("if doc.id % 2 == 0 { doc = () }", { id: 1 }), { kind: "unchanged" });
    assert.deepEqual(run("", { id: 1 }), { kind: "unchanged" });
    assert.match(failure("doc = 1"), /must be an object/);
  });

  it("tells integers from floats", () => {
    assert.equal(
      edited("doc.a = 7 / 2; doc.b = 7 / 2.0; doc.c = 2 ** 10; doc.d = 1.0 + 1", {}),
      '{"a":3,"b":3.5,"c":1024,"d":2.0}',
    );
    assert.equal(edited("doc.n = 9007199254740993 + 2", {}), '{"n":9007199254740995}');
    assert.match(failure("doc.n = 9223372036854775807 + 1"), /overflow/);
    assert.match(failure("doc.n = 1 / 0"), /zero/);
    assert.deepEqual(
      resultOf("[1 == 1.0, 1 < 1.5, -7 % 3, 1_000, 0xff, 1e2.to_int(), 2.5.round(), type_of(1), type_of(1.0)]"),
      [true, true, -1, 1000, 255, 100, 3, "i64", "f64"],
    );
  });

  it("works with strings", () => {
    assert.deepEqual(
      resultOf('["a,b".split(","), "héé".len(), "abc".sub_string(1), "abc".sub_string(0, 2), "abc"[-1]]'),
      [["a", "b"], 3, "bc", "ab", "c"],
    );
    assert.deepEqual(
      resultOf('["abc".contains("b"), "abc".starts_with("a"), "abc".ends_with("x"), "b" in "abc", "x" !in "abc"]'),
      [true, true, false, true, true],
    );
    assert.equal(
      edited(`doc.t.trim(); doc.t.replace("a", "$&"); doc.t += \`!\${1 + 1}\``, { t: " banana " }),
      '{"t":"b$&n$&n$&!2"}',
    );
    assert.deepEqual(resultOf('"1" + 2 + 2.0 + true + [1, "x"]'), '122.0true[1, "x"]');
    assert.deepEqual(
      resultOf('["\\u00e9\\n\\x41", #"raw \\n"#, parse_int("42"), "7".parse_int(), parse_float("1.5")]'),
      ["é\nA", "raw \\n", 42, 7, 1.5],
    );
  });

  it("works with arrays, maps and closures", () => {
    assert.deepEqual(resultOf("[1, 2, 3, 4].filter(|x| x % 2 == 0).map(|x| x * 10)"), [20, 40]);
    assert.deepEqual(resultOf("[3, 1, 2].reduce(|sum, x| sum + x, 0)"), 6);
    assert.deepEqual(resultOf("{ let a = [3, 1, 2, 2]; a.sort(); a.dedup(); a.reverse(); a }"), [3, 2, 1]);
    assert.deepEqual(resultOf("{ let a = [1]; let b = a; b.push(2); a += 3; [a, b] }"), [
      [1, 3],
      [1, 2],
    ]);
    assert.deepEqual(resultOf("{ let n = 0; [1, 2].for_each(|| n += this); n }"), 3);
    assert.deepEqual(
      resultOf('{ let m = #{b: 1, "a c": 2}; m.d = 3; [m.keys(), m.len(), "b" in m, m["a c"], m.zz] }'),
      [["a c", "b", "d"], 3, true, 2, null],
    );
    assert.deepEqual(resultOf("[doc.x?.y, doc.x ?? 5, [1, 2, 3].some(|x| x > 2), [1, 2].all(|x| x > 1)]"), [
      null,
      5,
      true,
      false,
    ]);
  });

  it("branches and loops", () => {
    assert.deepEqual(
      resultOf("{ let s = 0; for i in 0..5 { if i == 1 { continue; } if i == 4 { break; } s += i; } s }"),
      5,
    );
    assert.deepEqual(resultOf('{ let s = []; for (c, i) in "ab" { s.push(i.to_string() + c); } s }'), ["0a", "1b"]);
    assert.deepEqual(
      resultOf("{ let n = 10; while n > 3 { n -= 2; } do { n += 1; } until n > 5; loop { n += 1; break; } n }"),
      7,
    );
    assert.deepEqual(
      resultOf('switch 3 { 1 | 2 => "low", 3..=5 if doc.big => "no", 3 => { "three" } _ => "other" }', { big: false }),
      "three",
    );
    assert.deepEqual(resultOf('if doc.n > 1 { "many" } else if doc.n == 1 { "one" } else { "none" }', { n: 1 }), "one");
    assert.deepEqual(resultOf('{ let r = 0; try { throw "x"; } catch (e) { r = e + "!"; } r }'), "x!");
    assert.deepEqual(resultOf("1 + 2 * 3 ** 2 == 19 && !(1 > 2) || false /* why not */"), true);
  });

  it("calls functions, which see their parameters only", () => {
    assert.equal(edited("fn double(x) { return x * 2; } doc.n = double(doc.n);", { n: 4 }), '{"n":8}');
    assert.deepEqual(resultOf("fib(10); fn fib(n) { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }"), 55);
    assert.match(failure("fn f() { doc.id } doc.x = f();"), /doc is not defined/);
    assert.equal(edited("fn grow(n) { this += n; } doc.n.grow(3);", { n: 1 }), '{"n":4}');
  });

  it("keeps names that are special to the language ordinary", () => {
    assert.equal(edited('doc["__proto__"] = 1; doc.constructor = 2;', {}), '{"__proto__":1,"constructor":2}');
    assert.match(failure("doc.x = constructor"), /not defined/);
    assert.match(failure('doc.x = "".constructor("return 1")'), /not defined/);
    assert.match(failure('doc.x = "".constructor'), /no property/);
  });

  it("says what does not compile, and where", () => {
    for (const source of [
      "doc.x = ",
      "let = 1",
      "if { }",
      "doc.x = 1 doc.y = 2",
      '"abc',
      "`a${1",
      "1 = 2",
      "fn f( { }",
      "@",
      "{",
      "doc.x = (1",
      "switch 1 { 1 }",
    ]) {
      const program = compileEdit(source);
      assert.ok("problem" in program, source);
      assert.match(program.problem, /line \d+, position \d+/, source);
    }
  });

  it("says what fails, and where", () => {
    assert.match(failure("let a = 1;\ndoc.x = a.foo();"), /foo\(i64\) is not defined \(line 2/);
    assert.match(failure("doc.x = nobody"), /nobody is not defined/);
    assert.match(failure("if 1 { }"), /bool/);
    assert.match(failure("doc.x = [1][5]"), /out of bounds/);
    assert.match(failure("doc.x.y.z = 1"), /no property/);
    assert.match(failure('throw "no " + doc.id'), /no 1/);
    assert.match(failure("const A = 1; A = 2;"), /constant/);
    assert.match(failure("doc.f = |x| x"), /Fn/);
    assert.match(failure("doc.x = 1.0 / 0.0"), /number/);
  });

  it("ends whatever a script does", { timeout: 180_000 }, () => {
    for (const source of [
      "loop { }",
      "while true { doc.x = 1; }",
      "for i in 0..9000000000000000 { }",
      "fn f() { f() } f();",
      'let s = "a"; loop { s += s; }',
      "let a = [1]; loop { a += a; }",
      'let s = "aaaaaaaaaaaaaaaa"; loop { s.replace("a", s); }',
      "let a = [1]; loop { a = [a, a]; }",
      "let f = |g, n| g.call(g, n + 1); f.call(f, 0);",
      "loop { try { loop { } } catch { } }",
      'let s = "x"; s.pad(900000, "y"); loop { s.to_upper(); }',
    ]) {
      assert.match(failure(source), /too (many|deeply|long|much|large)/, source);
    }
    for (const source of [
      "(".repeat(100_000),
      "[".repeat(5000),
      "-".repeat(10_000),
      `1${"+1".repeat(100_000)}`,
      "if true {".repeat(3000),
      `doc${".a".repeat(5000)}`,
    ]) {
      const program = compileEdit(source);
      assert.ok("problem" in program, source.slice(0, 20));
    }
  });

  it("leaves every document as it is when it does nothing, and fails only by saying so", () => {
    const pieces = fc.constantFrom(
      "doc",
      ".",
      "x",
      "=",
      "1",
      "[",
      "]",
      "{",
      "}",
      "(",
      ")",
      "|",
      "if",
      "let",
      ";",
      " ",
      "+",
      '"',
      "`",
      "${",
      "#{",
      "fn",
      "for",
      "in",
      "..",
      "!",
      "?",
    );
    fc.assert(
      fc.property(objectText, fc.array(pieces, { maxLength: 15 }), (text, parts) => {
        assert.deepEqual(run("doc.len();", JSON.parse(text)), { kind: "unchanged" });
        const program = compileEdit(parts.join(""));
        if (!("problem" in program)) runEdit(program, new TextEncoder().encode(text), null);
      }),
      { numRuns: 1000 },
    );
  });
});

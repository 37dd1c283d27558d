/** Random JSON for property tests: values, their spaced and escaped spellings, and mutations of valid text. */
import fc from "fast-check";

/** Names that clash, need escapes, hold dots, or are special to the language. */
export const names = fc.oneof(
  fc.constantFrom("id", "a", "b", "a.b", "title", "__proto__", "constructor", "toString", "_vectors", 'q"q', "é", ""),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);

/** JSON text as someone might write it: spaces, escapes, repeated names, numbers in several forms. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    numberText(),
    fc.constantFrom("true", "false", "null"),
    stringText(),
    fc.array(tie("value"), { maxLength: 4 }).chain((items) => spaced("[", items, "]")),
    fc.array(fc.tuple(names, spaces(), spaces(), tie("value")), { maxLength: 5 }).chain((members) =>
      spaced(
        "{",
        members.map(([name, before, after, value]) => `${JSON.stringify(name)}${before}:${after}${value}`),
        "}",
      ),
    ),
  ),
})).value;

/** An object, as text. */
export const objectText: fc.Arbitrary<string> = fc.array(fc.tuple(names, jsonText), { maxLength: 6 }).chain((members) =>
  spaced(
    "{",
    members.map(([name, value]) => `${JSON.stringify(name)}:${value}`),
    "}",
  ),
);

function spaces(): fc.Arbitrary<string> {
  return fc.constantFrom("", "", "", " ", "\n", "\r\n\t ");
}

function spaced(open: string, items: string[], close: string): fc.Arbitrary<string> {
  return fc
    .array(spaces(), { minLength: items.length * 2 + 1, maxLength: items.length * 2 + 1 })
    .map(
      (gaps) =>
        open + items.map((item, i) => gaps[2 * i] + item + gaps[2 * i + 1]).join(",") + gaps[items.length * 2] + close,
    );
}

function numberText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
    fc.constantFrom("0", "-0", "1.0", "1E3", "1e-2", "14630868576586246730", "-1.50e+10", "0.1"),
  );
}

function stringText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\u0061\\/\\b"', '"\\ud83d\\ude00"', '"\\\\"', '"\\""', '"\\\\\\""', '"a,b]}"', '"{\\"x\\":1}"'),
  );
}

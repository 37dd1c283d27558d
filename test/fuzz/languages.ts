/** Texts in the languages that the server reads: filters, templates, scripts, dates, names. Mostly right, partly broken. */
import type { Dice } from "./random.ts";

const FIELDS = ["id", "title", "year", "tags", "nested.a", "_geo", "_vectors.mine", "missing", "a b", "é"];
const VALUES = [
  "1",
  "-3.5",
  "1e400",
  "true",
  "null",
  "sea",
  '"a b"',
  "'it\\'s'",
  '""',
  "NaN",
  "🦑",
  "2020-01-01T00:00:00Z",
];
const OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "==", "~"];
const ODD = [
  "",
  "\u0000",
  "\ud800",
  "\u2028",
  "🦑".repeat(20),
  "a".repeat(600),
  "%",
  "../..",
  "__proto__",
  "constructor",
  "*",
];

export function oddText(dice: Dice): string {
  return dice.of(ODD);
}

/** A part of the text doubled, dropped, or replaced. */
export function broken(dice: Dice, text: string): string {
  const at = dice.below(text.length + 1);
  const end = at + dice.below(8);
  switch (dice.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(end);
    case 1:
      return text.slice(0, at) + oddText(dice) + text.slice(at);
    case 2:
      return text.slice(0, end) + text.slice(at);
    default:
      return text.slice(0, at) + dice.of(["(", ")", "[", '"', "{{", "%}", "\\", ",", "NOT ", "🦑"]) + text.slice(end);
  }
}

export function filterText(dice: Dice, depth = 0): string {
  const field = dice.of(FIELDS);
  if (depth < 4 && dice.chance(0.3)) {
    const inner = [filterText(dice, depth + 1), filterText(dice, depth + 1)];
    return `(${inner.join(dice.of([" AND ", " OR "]))})`;
  }
  const list = (): string => dice.times(4, () => dice.of(VALUES)).join(", ");
  const made = [
    `${field} ${dice.of(OPERATORS)} ${dice.of(VALUES)}`,
    `${field} ${dice.of(VALUES)} TO ${dice.of(VALUES)}`,
    `${field} ${dice.of(["IN", "NOT IN"])} [${list()}]`,
    `${field} ${dice.of(["EXISTS", "NOT EXISTS", "IS NULL", "IS NOT NULL", "IS EMPTY", "IS NOT EMPTY"])}`,
    `${field} ${dice.of(["CONTAINS", "STARTS WITH", "NOT CONTAINS"])} ${dice.of(VALUES)}`,
    `_geoRadius(${dice.of(VALUES)}, ${dice.of(VALUES)}, ${dice.of(VALUES)})`,
    `_geoBoundingBox([${list()}], [${list()}])`,
    `_geoPolygon([${list()}], [${list()}], [1, 2])`,
    `_foreign(${field}, ${dice.of(FIELDS)} = 1)`,
    `NOT ${field} = ${dice.of(VALUES)}`,
  ];
  const text = dice.of(made);
  return dice.chance(0.2) ? broken(dice, text) : text;
}

export function templateText(dice: Dice): string {
  const made = [
    "{{ doc.title }}",
    "{{ doc.title | upcase | truncatewords: 3 }}",
    "{% for f in fields %}{{ f.name }}: {{ f.value }}{% endfor %}",
    "{% if doc.year > 3 %}{{ doc.year | plus: 1 }}{% else %}-{% endif %}",
    "{% assign x = doc.tags | join: ', ' %}{{ x | url_encode | split: '%' | last }}",
    "{% for i in (1..50) %}{{ i | times: i }}{% endfor %}",
    "{{ doc.nested['a'] | default: 'none' | replace: 'n', doc.title }}",
    "{% include 'x' %}{% render 'y' %}",
    "{% raw %}{{ }}{% endraw %}",
  ];
  const text = dice.times(3, () => dice.of(made)).join(" ");
  return dice.chance(0.3) ? broken(dice, text) : text;
}

export function scriptText(dice: Dice): string {
  const made = [
    "doc.year = doc.year + 1;",
    "if doc.id == context.id { doc = () }",
    "for i in 0..20 { doc.title += i.to_string(); }",
    "let f = |x| x * 2; doc.year = f.call(doc.year);",
    "doc.remove(`tags`);",
    "doc.tags = [1, 2, #{a: 1}]; doc.tags[2].a += 1;",
    "while true { doc.year += 1; if doc.year > 99 { break; } }",
    "fn up(s) { s.to_upper() } doc.title = up(doc.title);",
    "try { throw 7 } catch (e) { doc.caught = e; }",
    "doc[context.key] = 1 / 0;",
  ];
  const text = dice.times(3, () => dice.of(made)).join(" ");
  return dice.chance(0.3) ? broken(dice, text) : text;
}

export function words(dice: Dice): string {
  const some = ["sea", "land", '"a phrase"', "-not", "fil", "東京都", "Straße", "naïve", "fillm", "the", "👩‍👩‍👧", "a"];
  return dice.times(6, () => dice.of(some)).join(dice.of([" ", "  ", ",", ""]));
}

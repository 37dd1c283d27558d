/**
 * Reads filters: a text, or arrays of texts (outer AND, inner OR), into a tree. Recursion is bounded by the language's
 * own depth limit, so hostile input costs no stack. Says nothing about which fields exist or may be filtered.
 *
 * ```
 * or      = and ( "OR" and )*            and     = not ( "AND" not )*
 * not     = "NOT" not | primary          primary = "(" or ")" | geo call | condition
 * ```
 */
import type { Json } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";

import { type Comparison, type Filter, FilterSyntaxError, type Token } from "./filter.ts";
import { parseGeoCall } from "./parse-geo.ts";
import { parseVectors } from "./parse-vectors.ts";
import { Scanner } from "./scanner.ts";
import { TEXT_OPERATOR_KINDS, TEXT_OPERATORS } from "./text-operators.ts";

const OPERATORS: Comparison[] = ["<=", ">=", "!=", "<", ">", "="];

const TEXT_FORMS = TEXT_OPERATOR_KINDS.map((kind) => TEXT_OPERATORS[kind].words);
const CONDITION_FORMS =
  "`=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, " +
  `\`IS NOT EMPTY\`, ${TEXT_FORMS.map((words) => `\`${words}\`, \`NOT ${words}\``).join(", ")}, ` +
  "`_geoRadius`, `_geoBoundingBox` or `_geoPolygon`";

/** The filter of a request's `filter` member, or null when it says nothing. Throws FilterSyntaxError. */
export function parseFilter(input: Json): Filter | null {
  if (input === null) return null;
  refuseUnbounded(input);
  if (typeof input === "string") return parseFilterText(input);
  if (!Array.isArray(input)) throw wrongShape("String, Array", input);
  const all: Filter[] = [];
  for (const item of input) {
    const filter = typeof item === "string" ? parseFilterText(item) : parseAlternatives(item);
    if (filter !== null) all.push(filter);
  }
  return join("and", all);
}

/** Reading a filter takes as long as it is: bounded before the first of its conditions is read. */
function refuseUnbounded(input: Json): void {
  let texts = 0;
  let units = 0;
  let values = 0;
  const count = (item: Json): void => {
    texts++;
    if (typeof item !== "string") return;
    units += item.length;
    for (let at = item.indexOf(","); at >= 0; at = item.indexOf(",", at + 1)) values++;
  };
  for (const item of Array.isArray(input) ? input : [input]) {
    if (Array.isArray(item)) item.forEach(count);
    else count(item);
  }
  const { filterUnits, filterValues } = limits;
  if (units <= filterUnits && texts + values <= filterValues) return;
  throw new FilterSyntaxError(
    "Shape",
    `The filter is too long: it may have ${filterUnits} characters, and ${filterValues} conditions and values.`,
    null,
  );
}

function parseAlternatives(input: Json): Filter | null {
  if (!Array.isArray(input)) throw wrongShape("String, [String]", input);
  const any: Filter[] = [];
  for (const item of input) {
    if (typeof item !== "string") throw wrongShape("String", item);
    const filter = parseFilterText(item);
    if (filter !== null) any.push(filter);
  }
  return join("or", any);
}

function wrongShape(expected: string, found: Json): FilterSyntaxError {
  return new FilterSyntaxError(
    "Shape",
    `The filter must be made of ${expected} here, but holds \`${JSON.stringify(found)}\`.`,
    null,
  );
}

function join(kind: "and" | "or", filters: Filter[]): Filter | null {
  if (filters.length === 0) return null;
  return filters.length === 1 ? filters[0]! : { kind, filters };
}

/** One filter text; null when it is blank. */
function parseFilterText(source: string): Filter | null {
  if (/^[\s\u0085]*$/.test(source)) return null;
  const scanner = new Scanner(source);
  const filter = parseOr(scanner, 0);
  if (!scanner.atEnd()) {
    throw scanner.fail(
      "ExpectedEof",
      `The filter should end before ${scanner.rest()}. An \`AND\`, an \`OR\` or an opening parenthesis may be missing.`,
    );
  }
  return filter;
}

function checkDepth(scanner: Scanner, depth: number): void {
  if (depth <= limits.filterDepth) return;
  throw scanner.fail("DepthLimitReached", "The filter is nested too deeply.");
}

function parseOr(scanner: Scanner, depth: number): Filter {
  checkDepth(scanner, depth);
  const filters = [parseAnd(scanner, depth + 1)];
  while (scanner.keyword("OR")) {
    scanner.skipBlanks();
    filters.push(parseAnd(scanner, depth + 1));
  }
  return join("or", filters)!;
}

function parseAnd(scanner: Scanner, depth: number): Filter {
  checkDepth(scanner, depth);
  const filters = [parseNot(scanner, depth + 1)];
  while (scanner.keyword("AND")) {
    scanner.skipBlanks();
    filters.push(parseNot(scanner, depth + 1));
  }
  return join("and", filters)!;
}

function parseNot(scanner: Scanner, depth: number): Filter {
  checkDepth(scanner, depth);
  if (!scanner.keyword("NOT")) return parsePrimary(scanner, depth + 1);
  scanner.skipBlanks();
  return negate(parseNot(scanner, depth + 1));
}

function negate(filter: Filter): Filter {
  return filter.kind === "not" ? filter.filter : { kind: "not", filter };
}

function parsePrimary(scanner: Scanner, depth: number): Filter {
  checkDepth(scanner, depth);
  const start = scanner.at;
  return parseGroup(scanner, depth) ?? parseGeoCall(scanner) ?? parseCondition(scanner, start, depth);
}

function parseGroup(scanner: Scanner, depth: number): Filter | null {
  const start = scanner.at;
  scanner.skipBlanks();
  if (!scanner.tag("(")) {
    scanner.at = start;
    return null;
  }
  scanner.skipBlanks();
  const filter = parseOr(scanner, depth + 1);
  closeParenthesis(scanner, start);
  return filter;
}

function closeParenthesis(scanner: Scanner, openedAt: number): void {
  scanner.skipBlanks();
  if (!scanner.tag(")")) {
    throw scanner.fail(
      "MissingClosingDelimiter",
      `The parenthesis opened in ${scanner.rest(openedAt)} is never closed: add ) to its end.`,
      openedAt,
    );
  }
  scanner.skipBlanks();
}

function parseCondition(scanner: Scanner, start: number, depth: number): Filter {
  const field = scanner.value();
  if (field === null) {
    if (scanner.reservedAhead()) throw scanner.noValue();
    throw invalidPrimary(scanner, start);
  }
  const afterField = scanner.at;
  const simple = parseIn(scanner, field) ?? parseComparison(scanner, field) ?? parseIs(scanner, field);
  if (simple !== null) return simple;
  scanner.at = start;
  const vectors = parseVectors(scanner);
  if (vectors !== null) return vectors;
  scanner.at = afterField;
  const found =
    parseExists(scanner, field) ??
    parseBetween(scanner, field) ??
    parseTextOperator(scanner, field) ??
    parseForeign(scanner, field, depth);
  if (found !== null) return found;
  throw invalidPrimary(scanner, start);
}

function invalidPrimary(scanner: Scanner, start: number): FilterSyntaxError {
  return scanner.fail(
    "InvalidPrimary",
    `A condition was expected, made with ${CONDITION_FORMS}, but ${scanner.rest(start)} was found.`,
    start,
  );
}

function parseIn(scanner: Scanner, field: Token): Filter | null {
  const start = scanner.at;
  const negated = scanner.keyword("NOT", false);
  if (!scanner.keyword("IN", negated)) {
    scanner.at = start;
    return null;
  }
  scanner.skipBlanks();
  if (!scanner.tag("[")) {
    throw scanner.fail("InOpeningBracket", "`IN` expects its values between brackets: `[` was expected.");
  }
  const values: Token[] = [];
  for (let value = scanner.value(); value !== null; ) {
    values.push(value);
    const before = scanner.at;
    scanner.skipBlanks();
    if (!scanner.tag(",")) {
      scanner.at = before;
      break;
    }
    scanner.skipBlanks();
    value = scanner.value();
  }
  const last = scanner.at;
  scanner.skipBlanks();
  if (!scanner.tag("]")) {
    scanner.at = last;
    throw unclosedList(scanner);
  }
  scanner.skipBlanks();
  const filter: Filter = { kind: "in", field, values };
  return negated ? { kind: "not", filter } : filter;
}

function unclosedList(scanner: Scanner): FilterSyntaxError {
  if (scanner.atEnd()) {
    return scanner.fail("InClosingBracket", "The list of `IN` is never closed: `]` was expected.");
  }
  const reserved = scanner.reservedAhead()
    ? ", which starts with a reserved keyword (put it between quotes to use it)"
    : "";
  return scanner.fail(
    "InExpectedValue",
    `Only values separated by commas may stand between the brackets of \`IN\`, but ${scanner.rest()} was found${reserved}.`,
  );
}

function parseComparison(scanner: Scanner, field: Token): Filter | null {
  const operator = OPERATORS.find((symbol) => scanner.tag(symbol));
  if (operator === undefined) return null;
  return { kind: "compare", field, operator, value: scanner.expectValue() };
}

function parseIs(scanner: Scanner, field: Token): Filter | null {
  for (const [word, kind] of [
    ["NULL", "null"],
    ["EMPTY", "empty"],
  ] as const) {
    if (scanner.tags("IS", word)) return { kind, field };
    if (scanner.tags("IS", "NOT", word)) return { kind: "not", filter: { kind, field } };
  }
  return null;
}

function parseExists(scanner: Scanner, field: Token): Filter | null {
  if (scanner.tag("EXISTS")) return { kind: "exists", field };
  if (scanner.tags("NOT", "EXISTS")) return { kind: "not", filter: { kind: "exists", field } };
  return null;
}

function parseBetween(scanner: Scanner, field: Token): Filter | null {
  const start = scanner.at;
  const low = scanner.value();
  if (low !== null && scanner.tag("TO") && scanner.skipBlanks() > 0) {
    return { kind: "between", field, low, high: scanner.expectValue() };
  }
  scanner.at = start;
  return null;
}

function parseTextOperator(scanner: Scanner, field: Token): Filter | null {
  for (const kind of TEXT_OPERATOR_KINDS) {
    const { words } = TEXT_OPERATORS[kind];
    const start = scanner.at;
    const negated = !scanner.tag(words) && scanner.tags("NOT", words);
    if (scanner.at === start) continue;
    const keyword = scanner.token(scanner.at - words.length, scanner.at);
    const filter: Filter = { kind, field, keyword, value: scanner.expectValue() };
    return negated ? { kind: "not", filter } : filter;
  }
  return null;
}

/** `_foreign(field, filter)`; the name has been read as if it were a field. */
function parseForeign(scanner: Scanner, name: Token, depth: number): Filter | null {
  const bare = scanner.source[name.start - 1] !== "'" && scanner.source[name.start - 1] !== '"';
  if (name.text !== "_foreign" || !bare || !scanner.tag("(")) return null;
  const form = "`_foreign(field, filter)`";
  const field = scanner.value();
  if (field === null) {
    throw scanner.fail("Foreign", `The \`_foreign\` filter expects the name of a field: ${form}.`);
  }
  if (!scanner.tag(",")) {
    throw scanner.fail("Foreign", `The \`_foreign\` filter expects a comma after its field: ${form}.`);
  }
  scanner.skipBlanks();
  const filter = parseOr(scanner, depth + 1);
  scanner.skipBlanks();
  if (!scanner.tag(")")) {
    throw scanner.fail("Foreign", `The \`_foreign\` filter is never closed: ${form}.`);
  }
  const call = scanner.token(name.start, scanner.at);
  scanner.skipBlanks();
  return { kind: "foreign", call, field, filter };
}

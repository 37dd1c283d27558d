/**
 * Which documents pass a filter: one set of rows for every segment, live rows only. Fields without a column in a
 * segment have no value there. Recursion follows the tree, whose depth the parser bounds; lists are walked flat.
 */
import { limits } from "../../base/limits.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Column, OrdinalRange } from "../../storage/segment/columns/column.ts";
import { checkFilterable, checkOperator } from "./check.ts";
import type { FilterContext, FilterSegment } from "./context.ts";
import { type Filter, FilterEvaluationError, type Token } from "./filter.ts";
import { evaluateGeo } from "./geo.ts";
import { codesBetween, comparedCodes, equalCodes, operandOf } from "./operand.ts";
import { isTextOperator, TEXT_OPERATORS, type TextOperator } from "./text-operators.ts";
import { evaluateVectors } from "./vectors.ts";

/** Not to be changed: sets are kept for others. Throws FilterEvaluationError when a field may not be filtered, or not so. */
export function evaluateFilter(filter: Filter, context: FilterContext): Bitmap[] {
  checkFilterable(filter, context.settings);
  return evaluate(filter, context);
}

function evaluate(filter: Filter, context: FilterContext): Bitmap[] {
  if (isTextOperator(filter)) return textRows(filter, context);
  switch (filter.kind) {
    case "and":
      return evaluateAnd(filter.filters, context);
    case "or":
      return evaluateOr(filter.filters, context);
    case "not":
      return complement(evaluate(filter.filter, context), context);
    case "compare":
      if (filter.field.text === "_shard") {
        return filter.operator === "!=" ? complement(nothing(context), context) : nothing(context);
      }
      if (filter.operator !== "!=") return conditionRows(filter, context, null);
      if (!usable(filter.field, filter.operator, context)) return nothing(context);
      return complement(equalRows(filter.field, [filter.value], context), context);
    case "in":
      if (filter.field.text === "_shard") return nothing(context);
      return conditionRows(filter, context, null);
    case "between":
      return conditionRows(filter, context, null);
    case "exists":
    case "null":
    case "empty":
      if (!usable(filter.field, "EXISTS", context)) return nothing(context);
      return traitRows(filter.field, filter.kind, context);
    case "geoRadius":
    case "geoBoundingBox":
    case "geoPolygon":
      return evaluateGeo(filter, context);
    case "vectors":
      return evaluateVectors(filter, context);
    case "foreign":
      return foreignRows(filter, context);
  }
}

/** Stops as soon as nothing is left: what follows is then not even checked. */
function evaluateAnd(filters: readonly Filter[], context: FilterContext): Bitmap[] {
  let result = evaluate(filters[0]!, context);
  for (let i = 1; i < filters.length; i++) {
    if (result.every((rows) => rows.isEmpty())) break;
    result = evaluateAmong(result, filters[i]!, context);
  }
  return result;
}

/** Those of the rows that pass. Most conditions are looked at for them alone. */
function evaluateAmong(rows: Bitmap[], filter: Filter, context: FilterContext): Bitmap[] {
  if (isCondition(filter)) return conditionRows(filter, context, rows);
  const passing = evaluate(filter, context);
  return rows.map((own, segment) => own.and(passing[segment]!));
}

/** On the values of one field. */
type Condition = Extract<Filter, { kind: "compare" | "in" | "between" }>;

function isCondition(filter: Filter): filter is Condition {
  if (filter.kind === "compare") return filter.operator !== "!=" && filter.field.text !== "_shard";
  return filter.kind === "between" || (filter.kind === "in" && filter.field.text !== "_shard");
}

/** `among`: no other rows are asked for; null for all. */
function conditionRows(filter: Condition, context: FilterContext, among: Bitmap[] | null): Bitmap[] {
  const { field, kind } = filter;
  const operator = kind === "compare" ? filter.operator : kind === "in" ? "IN" : "TO";
  if (!usable(field, operator, context)) return nothing(context);
  return rowsOf(field, context, selectorOf(filter), among);
}

/** Finds the codes of a column that meet the condition. */
function selectorOf(filter: Condition): (column: Column) => OrdinalRange[] {
  if (filter.kind === "between") {
    const low = operandOf(filter.low);
    const high = operandOf(filter.high);
    return (column) => codesBetween(column, low, high);
  }
  if (filter.kind === "compare" && filter.operator !== "=") {
    const { operator } = filter;
    const operand = operandOf(filter.value);
    return (column) => comparedCodes(column, operator, operand);
  }
  const operands = (filter.kind === "in" ? filter.values : [filter.value]).map(operandOf);
  return (column) => equalCodes(column, operands);
}

/** Equalities on one field are gathered and answered by one pass, however many there are. */
function evaluateOr(filters: readonly Filter[], context: FilterContext): Bitmap[] {
  const result = nothing(context);
  const add = (rows: Bitmap[]): void => {
    result.forEach((own, segment) => {
      own.orWith(rows[segment]!);
    });
  };
  const gathered = new Map<string, { field: Token; values: Token[] }>();
  for (const each of filters) {
    const values =
      each.kind === "in" ? each.values : each.kind === "compare" && each.operator === "=" ? [each.value] : null;
    if (values === null || !("field" in each) || each.field.text === "_shard") {
      add(evaluate(each, context));
    } else if (usable(each.field, "=", context)) {
      const group = gathered.get(each.field.text);
      if (group === undefined) gathered.set(each.field.text, { field: each.field, values: [...values] });
      else for (const value of values) group.values.push(value);
    }
  }
  for (const { field, values } of gathered.values()) add(equalRows(field, values, context));
  return result;
}

/** False when no document ever had the field: every condition on it is then empty. Throws when its rule says no. */
function usable(field: Token, operator: string, context: FilterContext): boolean {
  if (!context.fieldKnown(field.text)) return false;
  checkOperator(field, operator, context.settings);
  return true;
}

function nothing({ segments }: FilterContext): Bitmap[] {
  return segments.map((segment) => Bitmap.create(segment.rows));
}

function complement(rows: Bitmap[], { segments }: FilterContext): Bitmap[] {
  return rows.map((own, i) => living(own.not(), segments[i]!));
}

/** Only what is not deleted. */
function living(rows: Bitmap, { live, isWhole }: FilterSegment): Bitmap {
  return isWhole ? rows : rows.and(live);
}

/** Rows, or those `among` some, with a value among the codes that `select` finds in the column of a segment. */
function rowsOf(
  field: Token,
  context: FilterContext,
  select: (column: Column) => OrdinalRange[],
  among: Bitmap[] | null = null,
): Bitmap[] {
  return context.segments.map((segment, i) => {
    const column = segment.columns?.column(field.text) ?? null;
    if (column === null) return Bitmap.create(segment.rows);
    // Those to choose from are living ones.
    if (among !== null) return column.rowsAmong(select(column), among[i]!);
    return living(column.rowsIn(select(column)), segment);
  });
}

function equalRows(field: Token, values: readonly Token[], context: FilterContext): Bitmap[] {
  const operands = values.map(operandOf);
  return rowsOf(field, context, (column) => equalCodes(column, operands));
}

function textRows(filter: Extract<Filter, { kind: TextOperator }>, context: FilterContext): Bitmap[] {
  if (!context.fieldKnown(filter.field.text)) return nothing(context);
  const { codes, emptyIsAny } = TEXT_OPERATORS[filter.kind];
  const operand = operandOf(filter.value);
  if (emptyIsAny && operand.bytes.length === 0) return traitRows(filter.field, "exists", context);
  return rowsOf(filter.field, context, (column) => codes(column, operand));
}

function traitRows(field: Token, trait: "exists" | "null" | "empty", context: FilterContext): Bitmap[] {
  return context.segments.map((segment) => {
    const out = Bitmap.create(segment.rows);
    const column = segment.columns?.column(field.text) ?? null;
    if (column === null) return out;
    const rows = trait === "exists" ? column.exists : trait === "null" ? column.nullRows : column.emptyRows;
    rows.addTo(out);
    return living(out, segment);
  });
}

function foreignRows(filter: Extract<Filter, { kind: "foreign" }>, context: FilterContext): Bitmap[] {
  const ids = context.foreign?.(filter.field, filter.filter) ?? [];
  if (ids.length > limits.foreignIds) {
    throw new FilterEvaluationError(
      "foreign",
      `The \`_foreign\` filter on \`${filter.field.text}\` matches more than ${limits.foreignIds} foreign documents.`,
      filter.call,
    );
  }
  if (!usable(filter.field, "IN", context)) return nothing(context);
  return equalRows(
    filter.field,
    ids.map((text) => ({ ...filter.field, text })),
    context,
  );
}

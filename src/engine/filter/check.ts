/**
 * What must hold before a filter is evaluated: its experimental operators are enabled, its fields may be filtered.
 * Looks at settings and flags only, never at documents.
 */

import { type FeatureName, type Features, featureNotEnabled } from "../../base/contract/features.ts";
import { ApiError } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";
import { type FilterRule, filterRuleFor } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { type Filter, FilterEvaluationError, locate, type Token, walkFilter } from "./filter.ts";
import { isTextOperator, TEXT_OPERATOR_KINDS, TEXT_OPERATORS } from "./text-operators.ts";

const FLAGGED = new RegExp(
  [
    ...TEXT_OPERATOR_KINDS.flatMap((kind) => (TEXT_OPERATORS[kind].feature === null ? [] : TEXT_OPERATORS[kind].words)),
    "_vectors",
    "_foreign",
    "_shard",
  ].join("|"),
);

/** Whether a filter that was not read yet may have an operator that wants a feature. */
export function mayWantFeature(filter: Json): boolean {
  return FLAGGED.test(JSON.stringify(filter));
}

/** Throws `feature_not_enabled`, with the place, for the first operator whose feature is off. */
export function checkFilterFeatures(filter: Filter, features: Features): void {
  const require = (name: FeatureName, action: string, at: Token): void => {
    if (features[name]) return;
    const refusal = featureNotEnabled(name, action);
    throw new ApiError(refusal.code, `${refusal.message}\n${locate(at)}`);
  };
  walkFilter(filter, (each) => {
    if (isTextOperator(each)) {
      const { feature, words } = TEXT_OPERATORS[each.kind];
      if (feature !== null) require(feature, `Using \`${words}\` in a filter`, each.keyword);
    } else if (each.kind === "vectors") require("multimodal", "Using a vector filter", each.call);
    else if (each.kind === "foreign") require("foreignKeys", "Using `_foreign` in a filter", each.call);
    else if ("field" in each && each.field.text === "_shard") {
      require("network", "Using `_shard` in a filter", each.field);
    }
    return true;
  });
}

/** Throws for the first field that no rule allows to be filtered, even where it could not change the result. */
export function checkFilterable(filter: Filter, settings: Settings): void {
  walkFilter(filter, (each) => {
    if ("field" in each && each.field.text !== "_shard") {
      if (each.kind === "foreign") checkForeign(each.field, each.filter, settings);
      ruleOf(each.field, settings);
    }
    // Fields of another index are its own business.
    return each.kind !== "foreign";
  });
}

/** The rule that lets the field be filtered. */
function ruleOf(field: Token, settings: Settings): FilterRule {
  const rule = filterRuleFor(settings, field.text);
  if (rule !== null && (rule.features.filter.equality || rule.features.filter.comparison)) return rule;
  throw notFilterable(field.text, field, settings);
}

function checkForeign(field: Token, filter: Filter, settings: Settings): void {
  if (!settings.foreignKeys.some((key) => key.fieldName === field.text)) {
    const known = settings.foreignKeys.map((key) => `\`${key.fieldName}\``).sort();
    const hint = known.length === 0 ? "This index has no foreign keys." : `Foreign keys are: ${known.join(", ")}.`;
    throw new FilterEvaluationError("foreign", `Field \`${field.text}\` is not a foreign key. ${hint}`, field);
  }
  walkFilter(filter, (each) => {
    if (each.kind !== "foreign") return true;
    throw new FilterEvaluationError("foreign", "A `_foreign` filter cannot stand inside another one.", each.call);
  });
}

/** `name` as the message shows it; geo calls name two attributes at once. */
export function notFilterable(name: string, at: Token, settings: Settings): FilterEvaluationError {
  const usable = settings.filterableAttributes.flatMap((rule) => {
    if (typeof rule === "string") return [rule];
    return rule.features.filter.equality || rule.features.filter.comparison ? rule.attributePatterns : [];
  });
  const hint =
    usable.length === 0
      ? "This index does not have configured filterable attributes."
      : `Filterable attributes: ${[...new Set(usable)]
          .sort()
          .map((each) => `\`${each}\``)
          .join(", ")}.`;
  return new FilterEvaluationError("notFilterable", `Attribute \`${name}\` is not filterable. ${hint}`, at);
}

const EQUALITY = ["=", "!=", "IN"];
const COMPARISON = [">", ">=", "<", "<=", "TO"];

/** Throws when the field's rule leaves the operator out. */
export function checkOperator(field: Token, operator: string, settings: Settings): void {
  const rule = ruleOf(field, settings);
  const { equality, comparison } = rule.features.filter;
  const wanted = COMPARISON.includes(operator) ? comparison : EQUALITY.includes(operator) ? equality : true;
  if (wanted) return;
  const allowed = [...(equality ? EQUALITY : []), ...(comparison ? COMPARISON : []), "EXISTS", "IS NULL", "IS EMPTY"];
  throw new FilterEvaluationError(
    "operatorNotAllowed",
    `Attribute \`${field.text}\` cannot be filtered with \`${operator}\`. ` +
      `Allowed operators: ${allowed.join(", ")}. The rule #${rule.position} of \`filterableAttributes\` decides about it.`,
    field,
  );
}

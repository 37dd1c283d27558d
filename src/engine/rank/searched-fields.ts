/** Which fields a search looks at, and in which languages its query may be: both follow from the request and the settings. */
import { apiError } from "../../base/errors/errors.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { nameTree } from "../../storage/settings/name-tree.ts";
import {
  isDisplayed,
  isPattern,
  localesFor,
  matchesPattern,
  searchableWeight,
} from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";

/** What is needed of an index; `IndexView` has it. */
interface SearchedView extends Pick<IndexView, "settings"> {
  readonly segments: readonly { readonly reader: { readonly fields: readonly string[] } }[];
}

/**
 * Flattened names; null for all fields. A name stands for that field alone, a pattern for all fields it matches.
 * Throws an ApiError for an attribute that is not searchable.
 */
export function searchedFields(view: SearchedView, attributes: readonly string[] | null): Set<string> | null {
  if (attributes === null) return null;
  const { settings } = view;
  const fields = fieldsWithWords(view);
  const searched = new Set<string>();
  for (const attribute of attributes) {
    if (attribute === "*") continue;
    const meant = meantBy(attribute, fields);
    if (meant.length === 0 && !isSearchable(settings, fields, attribute)) throw notSearchable(settings, attribute);
    for (const field of meant) searched.add(field);
  }
  return attributes.includes("*") ? null : searched;
}

function meantBy(attribute: string, fields: readonly string[]): readonly string[] {
  if (isPattern(attribute)) return fields.filter((field) => matchesPattern(attribute, field));
  return nameTree(fields).has(attribute) ? [attribute] : [];
}

function fieldsWithWords(view: SearchedView): readonly string[] {
  const fields = new Set<string>();
  for (const { reader } of view.segments) for (const field of reader.fields) fields.add(field);
  return [...fields];
}

/** Whether an attribute without words is still one that could have some: listed, or a searched object with words below it. */
function isSearchable(settings: Settings, fields: readonly string[], attribute: string): boolean {
  const names = settings.searchableAttributes;
  if (names.includes("*") || names.includes(attribute)) return true;
  return searchableWeight(settings, attribute) >= 0 && nameTree(fields).reaches(attribute);
}

function notSearchable(settings: Settings, attribute: string): Error {
  const shown = settings.searchableAttributes.filter((name) => isDisplayed(settings, name)).sort();
  const listed = shown.map((name) => `\`${name}\``);
  if (shown.length < settings.searchableAttributes.length) listed.push("`<..hidden-attributes>`");
  const message = `Attribute \`${attribute}\` is not searchable. Searchable attributes: ${listed.join(", ")}.`;
  return apiError("invalid_search_attributes_to_search_on", message);
}

/** Languages the query may be in; null leaves the choice to detection. */
export function queryLocales(
  view: SearchedView,
  requested: readonly string[] | null,
  searched: ReadonlySet<string> | null,
): string[] | null {
  if (requested !== null && requested.length > 0) return [...requested];
  const { settings } = view;
  if (settings.localizedAttributes.length === 0) return null;
  const locales = new Set<string>();
  for (const field of searched ?? fieldsWithWords(view)) {
    for (const locale of localesFor(settings, field) ?? []) locales.add(locale);
  }
  return locales.size === 0 ? null : [...locales];
}

/** The settings of an index as forms: what each is for, how it is edited, and what a change of it costs. */

/** `lines`: one name a line. `json`: what has parts of its own. `names`: lines, or JSON where one is more than a name. */
type Kind = "lines" | "names" | "text" | "count" | "flag" | "choice" | "json";

/** What is built anew when it changes: nothing, the words of the documents, their columns of values, their vectors. */
export type Rebuilds = "nothing" | "words" | "columns" | "vectors";

export interface SettingDescription {
  name: string;
  kind: Kind;
  about: string;
  rebuilds: Rebuilds;
  choices?: readonly string[];
  /** The group it is shown in. */
  group: string;
}

const setting = (
  group: string,
  name: string,
  kind: Kind,
  rebuilds: Rebuilds,
  about: string,
  choices?: readonly string[],
): SettingDescription => ({ name, kind, about, rebuilds, group, ...(choices === undefined ? {} : { choices }) });

const FIELDS = "Fields";
const ORDER = "Order of hits";
const WORDS = "Words";
const LIMITS = "Limits and more";

/** Embedders have a tab of their own. */
export const SETTINGS: readonly SettingDescription[] = [
  setting(
    FIELDS,
    "searchableAttributes",
    "lines",
    "words",
    "Fields that are searched, the most important first; * for all",
  ),
  setting(FIELDS, "displayedAttributes", "lines", "nothing", "Fields that answers show; * for all"),
  setting(FIELDS, "filterableAttributes", "names", "columns", "Fields that filters and facets may use"),
  setting(FIELDS, "sortableAttributes", "lines", "columns", "Fields that hits may be sorted by"),
  setting(
    FIELDS,
    "distinctAttribute",
    "text",
    "columns",
    "Of hits with the same value of this field only one is shown",
  ),
  setting(FIELDS, "localizedAttributes", "json", "words", "Languages of fields, for words that depend on them"),
  setting(FIELDS, "foreignKeys", "json", "nothing", "Fields that refer to documents of another index"),
  setting(ORDER, "rankingRules", "lines", "columns", "What decides the order of hits, the most important first"),
  setting(ORDER, "proximityPrecision", "choice", "nothing", "How exactly the distance of words counts", [
    "byWord",
    "byAttribute",
  ]),
  setting(WORDS, "typoTolerance", "json", "nothing", "How many typos are forgiven, and where"),
  setting(WORDS, "synonyms", "json", "nothing", "Words that stand for others: { word: [others] }"),
  setting(WORDS, "stopWords", "lines", "words", "Words that are passed over"),
  setting(WORDS, "separatorTokens", "lines", "words", "What also separates words"),
  setting(WORDS, "nonSeparatorTokens", "lines", "words", "What separates words no more"),
  setting(WORDS, "dictionary", "lines", "words", "Texts that are one word although they do not look it"),
  setting(WORDS, "prefixSearch", "choice", "nothing", "Whether the last word may be unfinished", [
    "indexingTime",
    "disabled",
  ]),
  setting(LIMITS, "faceting", "json", "nothing", "How many values of a facet are shown, in which order"),
  setting(LIMITS, "pagination", "json", "nothing", "How many hits can be reached at most"),
  setting(LIMITS, "facetSearch", "flag", "nothing", "Whether values of facets can be searched"),
  setting(LIMITS, "searchCutoffMs", "count", "nothing", "Milliseconds after which a search answers with what it has"),
  setting(LIMITS, "chat", "json", "nothing", "What a chat is told of this index"),
];

export const COSTS: Record<Rebuilds, string> = {
  nothing: "counts at once",
  words: "the words of all documents are indexed again",
  columns: "the values of all documents may be collected again",
  vectors: "documents are embedded again where their vectors change",
};

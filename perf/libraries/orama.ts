/**
 * Orama, all words wanted. Its tolerance of typos is set for the searches with typos only: with it every other search becomes
 * many times slower. It has no phrases.
 */
import { optionalPackage } from "../lib/packages.ts";
import { type Collection, type Contender, facetValues, HITS, type Query, type SearchClass } from "./contender.ts";

interface Results {
  hits: unknown[];
}

interface Package {
  create(options: { schema: Record<string, string> }): object;
  insertMultiple(index: object, documents: readonly object[], batch: number): unknown;
  search(index: object, params: Record<string, unknown>): Results | Promise<Results>;
}

const BATCH = 1000;

export async function orama({ documents, searchable, facet }: Collection): Promise<Contender<Results> | null> {
  const found = await optionalPackage<Package>("@orama/orama");
  if (found === null) return null;
  const schema = { ...Object.fromEntries(searchable.map((field) => [field, "string"])), [facet]: "enum[]" };
  const index = found.create({ schema });
  const typed = documents.map((document) => ({
    ...document,
    ...Object.fromEntries(searchable.map((field) => [field, `${document[field] ?? ""}`])),
    id: `${document.id}`,
    [facet]: facetValues(document, facet),
  }));
  return {
    name: "Orama",
    classes: ["common word", "one letter", "prefix", "two words", "typo", "filter + facet"],
    async build() {
      await found.insertMultiple(index, typed, BATCH);
    },
    search({ text, value }: Query, kind: SearchClass) {
      return found.search(index, {
        term: text,
        properties: searchable,
        limit: HITS,
        threshold: 0,
        ...(kind === "typo" ? { tolerance: 1 } : {}),
        ...(value === null ? {} : { where: { [facet]: { containsAny: [value] } }, facets: { [facet]: {} } }),
      });
    },
    hits: (answer) => answer.hits.length,
  };
}

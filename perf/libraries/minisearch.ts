/**
 * MiniSearch, set up like a search box: all words wanted, the last one as a prefix, typos where we allow them too.
 * It has no phrases; values are counted over its results by hand, as its users do.
 */
import { optionalPackage } from "../lib/packages.ts";
import { type Collection, type Contender, facetValues, HITS, type Query } from "./contender.ts";

interface Result {
  id: string | number;
  [stored: string]: unknown;
}

interface SearchOptions {
  combineWith: "AND";
  prefix(term: string, i: number, terms: string[]): boolean;
  fuzzy(term: string): number | false;
  filter?(result: Result): boolean;
}

interface Index {
  addAll(documents: readonly object[]): void;
  search(text: string, options: SearchOptions): Result[];
}

interface Package {
  default: new (options: { fields: string[]; storeFields: string[] }) => Index;
}

const OPTIONS: SearchOptions = {
  combineWith: "AND",
  prefix: (_term, i, terms) => i === terms.length - 1,
  fuzzy: (term) => (term.length >= 9 ? 2 : term.length >= 5 ? 1 : false),
};

export async function miniSearch({ documents, searchable, facet }: Collection): Promise<Contender<unknown[]> | null> {
  const found = await optionalPackage<Package>("minisearch");
  if (found === null) return null;
  const index = new found.default({ fields: searchable, storeFields: [facet] });
  const byId = new Map(documents.map((document) => [document.id, document]));
  const page = (results: Result[]) => results.slice(0, HITS).map(({ id }) => byId.get(id));
  return {
    name: "MiniSearch",
    classes: ["common word", "one letter", "prefix", "two words", "typo", "filter + facet"],
    build: () => index.addAll(documents),
    search({ text, value }: Query) {
      if (value === null) return page(index.search(text, OPTIONS));
      const has = (result: Result) => facetValues(result, facet).includes(value);
      const results = index.search(text, { ...OPTIONS, filter: has });
      const counts = new Map<string, number>();
      for (const result of results) {
        for (const each of facetValues(result, facet)) counts.set(each, (counts.get(each) ?? 0) + 1);
      }
      return page(results);
    },
    hits: (answer) => answer.length,
  };
}

/**
 * Which parameters requests use, as counts: names of the interface only, never anything that a client wrote. Searches
 * are many, so that their parameters are one number, found once and counted often.
 */
import { parseSearch, type SearchQuery } from "../../contract/search.ts";

const DEFAULTS = parseSearch({});
const PARAMETERS = Object.keys(DEFAULTS) as (keyof SearchQuery)[];

/** The parameters of a search that are not as they are by default: one bit each, in the order of `PARAMETERS`. */
export function parametersOf(query: Partial<SearchQuery>): number {
  let used = 0;
  for (let i = 0; i < PARAMETERS.length; i++) {
    const value = query[PARAMETERS[i]!] ?? null;
    if (value !== null && value !== DEFAULTS[PARAMETERS[i]!]) used |= 1 << i;
  }
  return used;
}

/** What was counted since the last time it was taken. */
export interface UsageCounts {
  searchParameters: Record<string, number>;
  taskFilters: Record<string, number>;
  federatedSearches: number;
}

export class Usage {
  readonly #parameters = new Float64Array(PARAMETERS.length);
  #taskFilters = new Map<string, number>();
  #federated = 0;

  /** One search with these parameters. */
  search(parameters: number): void {
    for (let i = 0; i < PARAMETERS.length; i++) this.#parameters[i]! += (parameters >> i) & 1;
  }

  federated(): void {
    this.#federated++;
  }

  /** Null for a filter that was not given. */
  taskFilters(filters: object): void {
    for (const [name, value] of Object.entries(filters)) {
      if (value !== null) this.#taskFilters.set(name, (this.#taskFilters.get(name) ?? 0) + 1);
    }
  }

  counts(): UsageCounts {
    const parameters = PARAMETERS.map((name, i) => [name, this.#parameters[i]!] as const);
    return {
      searchParameters: Object.fromEntries(parameters.filter(([, count]) => count > 0)),
      taskFilters: Object.fromEntries(this.#taskFilters),
      federatedSearches: this.#federated,
    };
  }

  clear(): void {
    this.#parameters.fill(0);
    this.#taskFilters.clear();
    this.#federated = 0;
  }
}

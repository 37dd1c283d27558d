/** Which parameters requests use, as counts since they were last taken. */
import { SEARCH_PARAMETERS } from "../../../base/contract/search.ts";
import type { UsedParameters } from "../../../engine/ask/used-parameters.ts";

/** What was counted since the last time it was taken. */
interface UsageCounts {
  searchParameters: Record<string, number>;
  taskFilters: Record<string, number>;
  federatedSearches: number;
}

export class Usage {
  readonly #parameters = new Float64Array(SEARCH_PARAMETERS.length);
  #taskFilters = new Map<string, number>();
  #federated = 0;

  /** One search with these parameters. */
  search(parameters: number): void {
    for (let i = 0; i < SEARCH_PARAMETERS.length; i++) this.#parameters[i]! += (parameters >> i) & 1;
  }

  /** One request, of several searches maybe. */
  request({ isFederated, searches }: UsedParameters): void {
    for (const parameters of searches) this.search(parameters);
    if (isFederated) this.#federated++;
  }

  /** Null for a filter that was not given. */
  taskFilters(filters: object): void {
    for (const [name, value] of Object.entries(filters)) {
      if (value !== null) this.#taskFilters.set(name, (this.#taskFilters.get(name) ?? 0) + 1);
    }
  }

  counts(): UsageCounts {
    const parameters = SEARCH_PARAMETERS.map((name, i) => [name, this.#parameters[i]!] as const);
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

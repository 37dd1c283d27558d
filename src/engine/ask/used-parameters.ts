/**
 * Which parameters searches use, found by whichever thread reads them and told to the one that counts. Names of the interface
 * only, never anything that a client wrote; as searches are many, the parameters of one are one number.
 */
import { SEARCH_DEFAULTS, SEARCH_PARAMETERS, type SearchQuery } from "../../base/contract/search.ts";

/** The parameters of a search that are not as they are by default: one bit each, in the order of `SEARCH_PARAMETERS`. */
export function parametersOf(query: Partial<SearchQuery>): number {
  let used = 0;
  for (let i = 0; i < SEARCH_PARAMETERS.length; i++) {
    const value = query[SEARCH_PARAMETERS[i]!] ?? null;
    if (value !== null && value !== SEARCH_DEFAULTS[i]) used |= 1 << i;
  }
  return used;
}

/** Of the searches of one request, one number each. */
export interface UsedParameters {
  isFederated: boolean;
  searches: readonly number[];
}

export function usedBy(queries: readonly Partial<SearchQuery>[], isFederated: boolean): UsedParameters {
  return { isFederated, searches: queries.map(parametersOf) };
}

/** For another thread: 1 for a federated search or 0, then the numbers. */
export function encodeUsed({ isFederated, searches }: UsedParameters): Uint8Array {
  return Buffer.from(Int32Array.of(isFederated ? 1 : 0, ...searches).buffer);
}

export function decodeUsed(bytes: Uint8Array): UsedParameters {
  const [first, ...searches] = new Int32Array(Uint8Array.from(bytes).buffer);
  return { isFederated: first === 1, searches };
}

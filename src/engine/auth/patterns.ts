/**
 * Index patterns of keys and tenant tokens: an exact uid, `prefix*`, or `*`. Pure.
 */

export function matchesIndex(pattern: string, indexUid: string): boolean {
  return pattern.endsWith("*") ? indexUid.startsWith(pattern.slice(0, -1)) : pattern === indexUid;
}

export function someMatchesIndex(patterns: readonly string[], indexUid: string): boolean {
  return patterns.some((pattern) => matchesIndex(pattern, indexUid));
}

/** The pattern that says most about the index: its exact name, else the longest prefix. */
export function bestMatch(patterns: Iterable<string>, indexUid: string): string | null {
  let best: string | null = null;
  for (const pattern of patterns) {
    if (pattern === indexUid) return pattern;
    if (matchesIndex(pattern, indexUid) && (best === null || pattern.length > best.length)) best = pattern;
  }
  return best;
}

/**
 * What a request may touch: every index, or those that a key and a tenant token name. Made of plain data, so that another
 * thread can have the same scope.
 */

import { invalidApiKey } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";

import { bestMatch, someMatchesIndex } from "./patterns.ts";

export interface Scope {
  /** No index is out of reach. */
  all: boolean;
  allowsIndex(indexUid: string): boolean;
  /** Whether a write to a missing index may create it. */
  mayCreateIndex(indexUid: string): boolean;
  /** The filter that a tenant token imposes on searches of the index; null when none. */
  searchRule(indexUid: string): Json;
  /** Uid of the API key; null for the master key and for servers without one. */
  keyUid: string | null;
  /** Whether what the server keeps for calls to others may be shown in clear: to the operator, not to those with a key. */
  seesSecrets: boolean;
  /** Refuses an index that is named in the body rather than in the path. */
  requireIndex(indexUid: string): void;
  /** The same for the key alone, whatever a tenant token made with it says. */
  requireIndexOfKey(indexUid: string): void;
  /** What it is made of; null for everything. */
  bounds: ScopeBounds | null;
}

export interface ScopeBounds {
  /** Patterns of the key. */
  indexes: readonly string[];
  /** Patterns of the tenant token with their filters; null without a token. */
  rules: ReadonlyMap<string, Json> | null;
  mayCreate: boolean;
  keyUid: string;
}

/** Everything: the master key, or a server that has none. */
export const FULL_SCOPE: Scope = {
  all: true,
  allowsIndex: () => true,
  mayCreateIndex: () => true,
  searchRule: () => null,
  keyUid: null,
  seesSecrets: true,
  requireIndex: () => undefined,
  requireIndexOfKey: () => undefined,
  bounds: null,
};

export function scopeWithin(bounds: ScopeBounds): Scope {
  const { indexes, rules, mayCreate, keyUid } = bounds;
  const keyAllows = (indexUid: string) => someMatchesIndex(indexes, indexUid);
  const tokenAllows = (indexUid: string) => rules === null || bestMatch(rules.keys(), indexUid) !== null;
  const allowsIndex = (indexUid: string) => keyAllows(indexUid) && tokenAllows(indexUid);
  const requireIndexOfKey = (indexUid: string) => {
    if (keyAllows(indexUid)) return;
    throw invalidApiKey(
      rules === null
        ? `The API key is not allowed to use index \`${indexUid}\`, only ${listed(indexes)}.`
        : `The API key of the tenant token is not allowed to use index \`${indexUid}\`.`,
    );
  };
  return {
    all: indexes.includes("*") && (rules === null || rules.has("*")),
    allowsIndex,
    mayCreateIndex: (indexUid) => mayCreate && allowsIndex(indexUid),
    searchRule(indexUid) {
      const pattern = rules === null ? null : bestMatch(rules.keys(), indexUid);
      return pattern === null ? null : (rules?.get(pattern) ?? null);
    },
    keyUid,
    seesSecrets: false,
    requireIndex(indexUid) {
      if (!tokenAllows(indexUid)) {
        throw invalidApiKey(
          `The tenant token is not allowed to use index \`${indexUid}\`, only ${listed([...rules!.keys()])}.`,
        );
      }
      requireIndexOfKey(indexUid);
    },
    requireIndexOfKey,
    bounds,
  };
}

/** As it travels from one thread to another. */
export type SentScope = (Omit<ScopeBounds, "rules"> & { rules: [string, Json][] | null }) | null;

export function sentScope({ bounds }: Scope): SentScope {
  return bounds === null ? null : { ...bounds, rules: bounds.rules === null ? null : [...bounds.rules] };
}

export function receivedScope(sent: SentScope): Scope {
  if (sent === null) return FULL_SCOPE;
  return scopeWithin({ ...sent, rules: sent.rules === null ? null : new Map(sent.rules) });
}

function listed(patterns: readonly string[]): string {
  return `[${[...patterns].sort().join(", ")}]`;
}

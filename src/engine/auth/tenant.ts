/**
 * Tenant tokens: JWTs that clients sign with the value of an API key to search in its name, with rules of their own.
 * Reads and verifies; what the parent key allows is decided in `authorize.ts`.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { isIndexPattern } from "../../base/contract/names.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";

/** Pattern to filter; null means no filter. */
type SearchRules = Map<string, Json>;

export interface TenantClaims {
  apiKeyUid: string;
  searchRules: SearchRules;
  /** Unix seconds. */
  expiresAt: number | null;
}

export class TokenError extends Error {
  override readonly name = "TokenError";
}

const DIGESTS: Record<string, string> = { HS256: "sha256", HS384: "sha384", HS512: "sha512" };
const SEGMENT = /^[A-Za-z0-9_-]+$/;

/** The claims of a token whose signature is not checked yet; null when the text is no JWT that names a key. */
export function readToken(token: string): TenantClaims | null {
  const claims = decodeSegment(token.split(".")[1]);
  const keyUid = claims?.["apiKeyUid"];
  if (claims === null || typeof keyUid !== "string" || token.split(".").length !== 3) return null;
  const searchRules = readRules(claims["searchRules"]);
  if (searchRules === null) throw new TokenError("its `searchRules` claim is missing or malformed");
  const exp = claims["exp"];
  if (exp !== undefined && exp !== null && !(typeof exp === "number" && Number.isInteger(exp))) {
    throw new TokenError("its `exp` claim is not an integer");
  }
  if (isForSomebody(claims["aud"])) throw new TokenError("its `aud` claim names another audience");
  return { apiKeyUid: keyUid.toLowerCase(), searchRules, expiresAt: typeof exp === "number" ? exp : null };
}

/** This server has no name that a token could be meant for (RFC 7519, 4.1.3). */
function isForSomebody(audience: Json | undefined): boolean {
  return typeof audience === "string" || (Array.isArray(audience) && audience.length > 0);
}

/** Throws unless the token was signed with the secret by one of the accepted algorithms. */
export function verifyToken(token: string, secret: string): void {
  const [header, claims, signature] = token.split(".");
  const algorithm = decodeSegment(header)?.["alg"];
  const digest = typeof algorithm === "string" && Object.hasOwn(DIGESTS, algorithm) ? DIGESTS[algorithm] : undefined;
  if (digest === undefined) throw new TokenError("its algorithm is not one of HS256, HS384, HS512");
  const expected = createHmac(digest, secret).update(`${header}.${claims}`).digest();
  const given = Buffer.from(SEGMENT.test(signature ?? "") ? signature! : "", "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new TokenError("its signature is invalid");
  }
}

function decodeSegment(segment: string | undefined): JsonObject | null {
  if (segment === undefined || !SEGMENT.test(segment)) return null;
  try {
    const value = JSON.parse(Buffer.from(segment, "base64url").toString("utf8")) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** An array of patterns, or an object of pattern to `null`, `{}` or `{ filter }`. */
function readRules(claim: Json | undefined): SearchRules | null {
  const rules: SearchRules = new Map();
  if (Array.isArray(claim)) {
    for (const pattern of claim) {
      if (typeof pattern !== "string" || !isIndexPattern(pattern)) return null;
      rules.set(pattern, null);
    }
    return rules;
  }
  if (typeof claim !== "object" || claim === null) return null;
  for (const [pattern, rule] of Object.entries(claim)) {
    if (!isIndexPattern(pattern)) return null;
    if (rule !== null && (typeof rule !== "object" || Array.isArray(rule))) return null;
    rules.set(pattern, rule?.["filter"] ?? null);
  }
  return rules;
}

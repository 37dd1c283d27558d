/**
 * Who asks, and may they: from the headers of a request to the scope in which its handler works.
 * Refuses with the interface's codes; never looks at bodies.
 */
import type { Action } from "../../base/contract/actions.ts";
import { invalidApiKey, missingAuthorization, missingMasterKey } from "../../base/errors/errors.ts";
import { nowMicros } from "../../base/time/time.ts";
import { rulesOverKeys, servesScopedKeys } from "./actions.ts";
import { type ApiKey, blinded, type KeyRing } from "./keys.ts";
import { FULL_SCOPE, type Scope, scopeWithin } from "./scope.ts";
import { readToken, type TenantClaims, TokenError, verifyToken } from "./tenant.ts";

interface Credentials {
  /** The `Authorization` header; null when it was not sent. */
  authorization: string | null;
  /** The `X-SERVICE-API-KEY` header: another carrier of the same token. */
  serviceKey: string | null;
}

export interface Gate {
  /** `indexUid`: the index of the route's path; null when the path names none. */
  authorize(credentials: Credentials, action: Action, indexUid: string | null): Scope;
}

const TENANT_ACTIONS: ReadonlySet<Action> = new Set<Action>(["search", "chatCompletions"]);

/** Without a master key everything is allowed except what is about keys, whose values derive from it. */
export function openGate(): Gate {
  return {
    authorize(credentials, action) {
      if (rulesOverKeys(action)) throw missingMasterKey();
      readCredentials(credentials);
      return FULL_SCOPE;
    },
  };
}

export function guardedGate(masterKey: string, keys: KeyRing): Gate {
  const blindedMaster = blinded(masterKey);
  /** The last key that was accepted: most requests bring it again, and comparing it takes less than computing its digest. */
  let last = { token: masterKey, blindedToken: blindedMaster };
  return {
    authorize(credentials, action, indexUid) {
      const token = readCredentials(credentials);
      if (token === null) throw missingAuthorization();
      const blindedToken = isSameSecret(token, last.token) ? last.blindedToken : blinded(token);
      const isMaster = blindedToken === blindedMaster;
      const key = isMaster ? null : keys.byBlindedValue(blindedToken);
      if ((isMaster || key !== null) && blindedToken !== last.blindedToken) last = { token, blindedToken };
      if (isMaster) return FULL_SCOPE;
      const scope = key === null ? tenantScope(token, keys, action) : keyScope(key, action, null);
      if (indexUid !== null) scope.requireIndex(indexUid);
      else if (!scope.all && !servesScopedKeys(action)) throw invalidApiKey();
      return scope;
    },
  };
}

/** In a time that does not tell where they differ. */
function isSameSecret(token: string, secret: string): boolean {
  if (token.length !== secret.length) return false;
  let differences = 0;
  for (let i = 0; i < secret.length; i++) differences |= token.charCodeAt(i) ^ secret.charCodeAt(i);
  return differences === 0;
}

/** The token that was sent, null when none was; refuses a header that carries none. */
function readCredentials({ authorization, serviceKey }: Credentials): string | null {
  if (authorization === null) return serviceKey === null || serviceKey === "" ? null : serviceKey;
  const space = authorization.indexOf(" ");
  const scheme = space < 0 ? authorization : authorization.slice(0, space);
  if (scheme !== "Bearer") throw missingAuthorization();
  const token = space < 0 ? "" : authorization.slice(space + 1);
  if (token === "") throw invalidApiKey();
  return token;
}

function keyScope(key: ApiKey, action: Action, claims: TenantClaims | null): Scope {
  const { record, actions } = key;
  const expired = record.expiresAt !== null && record.expiresAt <= nowMicros();
  // A key of no index opens nothing, not even lists that would be empty.
  if (expired || record.indexes.length === 0 || !actions.has(action)) throw invalidApiKey();
  // Listing keys shows the value of one that may do everything and never ends, so no lesser key may.
  const isWorthAll = record.actions.includes("*") && record.expiresAt === null;
  if (rulesOverKeys(action) && !isWorthAll) throw invalidApiKey();
  return scopeWithin({
    indexes: record.indexes,
    rules: claims?.searchRules ?? null,
    mayCreate: actions.has("indexes.create"),
    keyUid: record.uid,
  });
}

/** Elsewhere than in searches a tenant token is just an unknown key. */
function tenantScope(token: string, keys: KeyRing, action: Action): Scope {
  if (!TENANT_ACTIONS.has(action)) throw invalidApiKey();
  try {
    const claims = readToken(token);
    const parent = claims === null ? null : keys.byUid(claims.apiKeyUid);
    if (claims === null || parent === null) throw invalidApiKey();
    verifyToken(token, parent.value);
    refuseExpired(claims);
    return keyScope(parent, action, claims);
  } catch (error) {
    if (error instanceof TokenError) throw invalidApiKey(`The tenant token cannot be decoded: ${error.message}.`);
    throw error;
  }
}

function refuseExpired({ expiresAt }: TenantClaims): void {
  const now = Math.floor(nowMicros() / 1_000_000);
  if (expiresAt === null || now <= expiresAt) return;
  throw invalidApiKey(`Tenant token expired. Was valid up to \`${expiresAt}\` and we're now \`${now}\`.`);
}

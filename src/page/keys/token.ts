/** Tenant tokens: made here, signed with a key that the browser has, so that no secret is sent anywhere for it. */

interface TokenClaims {
  /** Uid of the key that signs. */
  apiKeyUid: string;
  /** Indexes, or patterns of their names, with what narrows searches of them. */
  searchRules: unknown;
  /** Seconds since 1970; absent for a token that lasts as long as its key. */
  exp?: number;
}

const HEADER = { alg: "HS256", typ: "JWT" };

/** Browsers have what signs only where nobody can listen: over https, and on the machine itself. */
export function canSign(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

export async function tenantToken(claims: TokenClaims, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const part = (value: unknown): string => base64Url(encoder.encode(JSON.stringify(value)));
  const signed = `${part(HEADER)}.${part(claims)}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(signed));
  return `${signed}.${base64Url(new Uint8Array(signature))}`;
}

function base64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Addresses that carry the proof of who asks: version 4 of the signatures of S3, in the query. The body is not part of
 * what is signed, so that it can be sent as it is read. Pure: bytes and hashes only.
 */
import { createHash, createHmac } from "node:crypto";

export interface Credentials {
  accessKey: string;
  secretKey: string;
  /** Of a role that was taken on for a while. */
  sessionToken?: string;
}

interface Signing {
  method: string;
  /** Without a query. */
  url: URL;
  query: Record<string, string>;
  region: string;
  credentials: Credentials;
  now: Date;
  /** How long the address may be used. */
  seconds: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

export function signedUrl({ method, url, query, region, credentials, now, seconds }: Signing): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const all: Record<string, string> = {
    ...query,
    "X-Amz-Algorithm": ALGORITHM,
    "X-Amz-Credential": `${credentials.accessKey}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(seconds),
    "X-Amz-SignedHeaders": "host",
    ...(credentials.sessionToken === undefined ? {} : { "X-Amz-Security-Token": credentials.sessionToken }),
  };
  const pairs = Object.entries(all).map(([name, value]) => [escaped(name), escaped(value)] as const);
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  const canonicalQuery = pairs.map(([name, value]) => `${name}=${value}`).join("&");
  const request = [method, url.pathname, canonicalQuery, `host:${url.host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
  const text = [ALGORITHM, time, scope, createHash("sha256").update(request).digest("hex")].join("\n");
  let key: Buffer = Buffer.from(`AWS4${credentials.secretKey}`);
  for (const part of scope.split("/")) key = hmac(key, part);
  return `${url.origin}${url.pathname}?${canonicalQuery}&X-Amz-Signature=${hmac(key, text).toString("hex")}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** Everything but letters, digits and `-_.~`. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The same for each part of the name of an object, which keeps its slashes. */
export function escapedKey(key: string): string {
  return key.split("/").map(escaped).join("/");
}

/** Headers that somebody has asked to be sent along with a call. */

/**
 * Where a request ends, and what becomes of its connection, is up to who sends it: with another length, say, the rest of a body
 * would be the beginning of the next request on a connection that calls share.
 */
const FRAMING = new Set([
  "connection",
  "content-length",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Those that may be sent, by their names in small letters. */
export function askedHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const asked: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!FRAMING.has(name)) asked[name] = String(value);
  }
  return asked;
}

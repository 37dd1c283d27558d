/**
 * Which running server a command asks. All of them take `--url`, then SABRE_URL; those that take the options of a server find it by
 * these otherwise, and an address on the command line counts more than SABRE_URL.
 */
import { OptionError } from "./error.ts";
import { parseAddress } from "./kinds.ts";
import type { Options } from "./options.ts";

const NAMED = /^--url(?:=(.*))?$/;
const ADDRESS = /^--http-addr(?:=|$)/;

/** `text`: an address with or without `http://`. */
export function serverUrl(text: string): URL {
  const whole = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole)) throw new OptionError(`\`${text}\` is no address of a server`);
  return new URL(whole);
}

/** The server that is named, or null where its options tell; and the words that are left for these. */
export function takeUrl(args: readonly string[], env: NodeJS.ProcessEnv): { url: URL | null; rest: string[] } {
  const rest = [...args];
  const at = rest.findIndex((word) => NAMED.test(word));
  if (at === -1) {
    const named = rest.some((word) => ADDRESS.test(word)) ? undefined : env["SABRE_URL"];
    return { url: named ? serverUrl(named) : null, rest };
  }
  const [, value] = NAMED.exec(rest[at]!)!;
  const [, next] = rest.splice(at, value === undefined ? 2 : 1);
  const named = value ?? next;
  if (!named) throw new OptionError("option `--url` needs a value");
  return { url: serverUrl(named), rest };
}

/** Where a server with these options can be reached from the same machine. */
export function ownUrl({ httpAddr, sslCertPath }: Options): URL {
  const { host, port } = parseAddress(httpAddr);
  if (port === 0) throw new OptionError("the system chose the port of a server on port 0: name it with --http-addr");
  const near = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const named = near.includes(":") ? `[${near}]` : near;
  return new URL(`${sslCertPath === null ? "http" : "https"}://${named}:${port}`);
}

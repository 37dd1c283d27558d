/**
 * Through which proxy an address is called: what the environment says (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in capitals or not,
 * small letters first). This machine itself is never called through one.
 */
import { BlockList, isIP, isIPv6 } from "node:net";

export interface ProxyServer {
  url: URL;
  /** Null without name and password. */
  authorization: string | null;
}

/** A line of `NO_PROXY`. */
interface Exception {
  matches(host: string): boolean;
  /** Null for all. */
  port: string | null;
}

export class Proxies {
  readonly #http: ProxyServer | null;
  readonly #https: ProxyServer | null;
  readonly #exceptions: Exception[];

  /** Throws for an address of a proxy that is none. */
  constructor(env: NodeJS.ProcessEnv) {
    const read = (name: string): string => env[name.toLowerCase()] || env[name] || "";
    this.#http = proxyAt("HTTP_PROXY", read("HTTP_PROXY"));
    this.#https = proxyAt("HTTPS_PROXY", read("HTTPS_PROXY"));
    this.#exceptions = read("NO_PROXY")
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((text) => text !== "")
      .map(exceptionOf);
  }

  /** Null for an address that is called directly. */
  proxyFor(url: URL): ProxyServer | null {
    const isSecure = url.protocol === "https:";
    const proxy = isSecure ? this.#https : this.#http;
    if (proxy === null) return null;
    const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
    if (isThisMachine(host)) return null;
    const port = url.port || (isSecure ? "443" : "80");
    const isExcepted = this.#exceptions.some((each) => (each.port ?? port) === port && each.matches(host));
    return isExcepted ? null : proxy;
  }
}

function proxyAt(name: string, text: string): ProxyServer | null {
  if (text === "") return null;
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(full) || !/^https?:$/.test(new URL(full).protocol)) {
    throw new Error(`\`${name}\` names no proxy that can be used; write one such as \`http://proxy:3128\``);
  }
  const url = new URL(full);
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  url.username = "";
  url.password = "";
  const authorization = username === "" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`;
  return { url, authorization };
}

const thisMachine = new BlockList();
thisMachine.addSubnet("127.0.0.0", 8, "ipv4");
thisMachine.addAddress("::1", "ipv6");

function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isIn(thisMachine, host);
}

function isIn(list: BlockList, host: string): boolean {
  return isIP(host) !== 0 && list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

/** `*`, `example.org` and all below it, `.example.org`, `10.0.0.0/8`, `10.1.2.3`, `[::1]`, each but the first with a port or without. */
function exceptionOf(text: string): Exception {
  if (text === "*") return { matches: () => true, port: null };
  const [network, prefix] = text.split("/");
  if (prefix !== undefined && isIP(network!) !== 0) {
    const list = new BlockList();
    const isV6 = isIPv6(network!);
    const bits = Math.min(Number.parseInt(prefix, 10) || 0, isV6 ? 128 : 32);
    list.addSubnet(network!, bits, isV6 ? "ipv6" : "ipv4");
    return { matches: (host) => isIn(list, host), port: null };
  }
  if (isIPv6(text)) return { matches: (host) => host === text, port: null };
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const name = (bracketed ?? plain ?? text).replace(/^\*?\./, "");
  return { matches: (host) => host === name || host.endsWith(`.${name}`), port: port ?? null };
}

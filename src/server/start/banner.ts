/** What a person is told once the server listens: where to go, where the data is, and who may do what. */
import { resolve } from "node:path";
import { WriteStream } from "node:tty";

interface BannerFacts {
  version: string;
  host: string;
  port: number;
  isTls: boolean;
  dataPath: string;
  hasMasterKey: boolean;
  hasPage: boolean;
  transport: string;
  /** How the program is called from here; null where nobody sits before it. */
  program: string | null;
}

/** Addresses that stand for all of the machine's own. */
const ANY = new Set(["0.0.0.0", "::"]);

export function bannerText(facts: BannerFacts, colours: boolean): string {
  const paint = (code: number, text: string): string => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
  const address = addressOf(facts);
  const pages: [string, string][] = facts.hasPage
    ? [
        ["page", paint(36, `${address}/`)],
        ["docs", paint(36, `${address}/docs`)],
      ]
    : [["docs", paint(36, `${address}/openapi.json`)]];
  const rows: [string, string][] = [
    ["address", paint(36, address) + (ANY.has(facts.host) ? " (and every other address of this machine)" : "")],
    ...pages,
    ["data", resolve(facts.dataPath)],
    ["master key", facts.hasMasterKey ? "set" : paint(33, "not set: everybody may do everything")],
    ["transport", facts.transport],
    ...(facts.program === null ? [] : [["sample data", `${facts.program} demo${there(address)}`] as [string, string]]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${paint(2, name.padEnd(width))}  ${value}`);
  return ["", `  ${paint(1, `Sabre ${facts.version}`)} is ${paint(32, "ready")}`, "", ...lines, "", ""].join("\n");
}

/** For commands, which ask there unless they are told otherwise. */
function there(address: string): string {
  return address === "http://localhost:7700" ? "" : ` --url ${address}`;
}

/** One that can be opened on this machine. */
function addressOf({ host, port, isTls }: BannerFacts): string {
  const near = ANY.has(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${isTls ? "https" : "http"}://${near}:${port}`;
}

/** Node's own idea of what a terminal can show, which heeds NO_COLOR, FORCE_COLOR and TERM; elsewhere only when forced. */
export function showsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return (stream.isTTY === true || env["FORCE_COLOR"] !== undefined) && WriteStream.prototype.hasColors(16, env);
}

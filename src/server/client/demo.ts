/** `demo`: an index of characters (symbols, pictographs, letters of a few alphabets) to try things out on, and the page on it. */
import { readFileSync } from "node:fs";
import { indexPath } from "./api.ts";
import { type Usage, withServer } from "./arguments.ts";
import { openInBrowser } from "./browser.ts";
import { countText } from "./progress-line.ts";
import { finished } from "./task-events.ts";
import { say, type Terminal } from "./terminal.ts";

const INDEX = "characters";
const USAGE: Usage = {
  line: "demo [OPTIONS]",
  does: "Fills an index with some 8,000 characters of Unicode, by name, block and kind, and opens the page on it.",
  options: {
    "index <name>": `index to fill [default: ${INDEX}]`,
    "no-open": "do not open the page in a browser",
  },
};

/** Bundles lie beside their data, sources beside a folder of it. */
const DATA = import.meta.url.endsWith(".ts") ? "data/characters.tsv" : "data/demo/characters.tsv";

const KINDS: Record<string, string> = {
  Sm: "mathematical symbol",
  Sc: "currency symbol",
  Sk: "modifier",
  So: "symbol",
  P: "punctuation",
  L: "letter",
  N: "number",
};

const SETTINGS = {
  searchableAttributes: ["name", "character", "block", "kind", "code"],
  filterableAttributes: ["block", "kind", "isEmoji", "codePoint"],
  sortableAttributes: ["codePoint", "name"],
  displayedAttributes: ["id", "character", "name", "kind", "block", "code", "codePoint", "isEmoji"],
};

interface Character {
  id: string;
  character: string;
  name: string;
  kind: string;
  block: string;
  code: string;
  codePoint: number;
  isEmoji: boolean;
}

export function demoDocuments(): Character[] {
  const documents: Character[] = [];
  let block = "";
  for (const line of readFileSync(new URL(DATA, import.meta.url), "utf8").split("\n")) {
    if (line.startsWith("# ")) block = line.slice(2);
    const [code, category, name] = line.split("\t");
    if (code === undefined || category === undefined || name === undefined) continue;
    const character = String.fromCodePoint(Number.parseInt(code, 16));
    documents.push({
      id: code,
      character,
      name: name[0] + name.slice(1).toLowerCase(),
      kind: KINDS[category] ?? KINDS[category[0]!] ?? "other",
      block,
      code: `U+${code.padStart(4, "0")}`,
      codePoint: Number.parseInt(code, 16),
      isEmoji: /^\p{Emoji_Presentation}$/u.test(character),
    });
  }
  return documents;
}

export function demo(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const index = given.text("index") ?? INDEX;
    await finished(connection, "PATCH", indexPath(index, "/settings"), { body: SETTINGS });
    const documents = demoDocuments();
    const body = [Buffer.from(JSON.stringify(documents))];
    await finished(connection, "POST", indexPath(index, "/documents?primaryKey=id"), { body });
    say(terminal.output, `${countText(documents.length)} characters are in the index \`${index}\`. Look at them:\n`);
    const page = `${connection.base.href.replace(/\/$/, "")}/#/search/${index}`;
    say(terminal.output, `  ${page}`);
    const url = given.text("url");
    const there = url === null ? "" : ` --url ${url}`;
    say(terminal.output, `  ${terminal.program} search ${index}${there}`);
    say(terminal.output, `  ${terminal.program} search ${index} heart arrow --filter 'kind = symbol'${there}`);
    if (!given.flag("no-open")) openInBrowser(page, terminal);
    return 0;
  });
}

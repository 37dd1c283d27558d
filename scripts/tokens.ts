// Compares our tokens with recorded ones and counts the differences:
//
//     node --import tsx scripts/tokens.ts [--show N] FILE...
//
// A FILE is ndjson (also .gz): {from?, text, locales?, tokens: [[lemma, kind, start, end], ...]}, or JSON:
// {cases: [{text, locale?, settings?, tokens: [{lemma, kind, start, end}, ...]}]}, offsets in code points.
// Files that do not exist are passed over.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { createTokenizer } from "../src/base/text/tokenizer.ts";

type RecordedToken = [lemma: string, kind: string, start: number, end: number];

interface Recorded {
  group: string;
  text: string;
  locales: string[] | null;
  settings: Record<string, string[]>;
  tokens: RecordedToken[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "string", default: "3" } },
});

for (const file of positionals) if (existsSync(file)) compare(file, Number(values.show));

function compare(file: string, show: number): void {
  const groups = new Map<string, { all: number; same: number }>();
  let shown = 0;
  const recorded = read(file);
  for (const item of recorded) {
    const group = groups.get(item.group) ?? { all: 0, same: 0 };
    groups.set(item.group, group);
    group.all++;
    const ours = tokensOf(item);
    const place = firstDifference(ours, item.tokens);
    if (place < 0) group.same++;
    else if (shown++ < show) describe(item, ours, place);
  }
  const same = [...groups.values()].reduce((sum, group) => sum + group.same, 0);
  console.log(
    `${file}: ${same} of ${recorded.length} texts identical (${((100 * same) / recorded.length).toFixed(2)} %)`,
  );
  for (const [name, group] of groups)
    if (group.same < group.all) console.log(`  ${name}: ${group.same} of ${group.all}`);
}

function tokensOf({ text, locales, settings }: Recorded): RecordedToken[] {
  const tokenizer = createTokenizer({
    stopWords: settings["stopWords"],
    separators: settings["separatorTokens"],
    nonSeparators: settings["nonSeparatorTokens"],
    dictionary: settings["dictionary"],
  });
  return tokenizer
    .tokenize(text, locales)
    .map(({ lemma, kind, charStart, charEnd }) => [lemma, kind, charStart, charEnd]);
}

function firstDifference(ours: RecordedToken[], theirs: RecordedToken[]): number {
  for (let place = 0; place < Math.max(ours.length, theirs.length); place++) {
    if (JSON.stringify(ours[place]) !== JSON.stringify(theirs[place])) return place;
  }
  return -1;
}

function describe({ group, text, locales, tokens }: Recorded, ours: RecordedToken[], place: number): void {
  const around = (list: RecordedToken[]) => JSON.stringify(list.slice(Math.max(0, place - 1), place + 3));
  console.log(`${group} ${JSON.stringify(locales)} ${JSON.stringify(text.slice(0, 100))}`);
  console.log(`  recorded ${around(tokens)}\n  ours     ${around(ours)}`);
}

function read(file: string): Recorded[] {
  const bytes = readFileSync(file);
  const content = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  if (/\.json(\.gz)?$/.test(file)) {
    return JSON.parse(content).cases.map((item: ReadCase) => ({
      group: item.locale ?? "cases",
      text: item.text,
      locales: item.locale === undefined ? null : [item.locale],
      settings: item.settings ?? {},
      tokens: item.tokens.map(({ lemma, kind, start, end }) => [lemma, kind, start, end]),
    }));
  }
  const lines = content.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const item: ReadLine = JSON.parse(line);
    const group = `${item.from?.split(" ")[0] ?? "lines"}${item.locales ? ` ${item.locales}` : ""}`;
    return { group, text: item.text, locales: item.locales ?? null, settings: {}, tokens: item.tokens };
  });
}

interface ReadCase {
  text: string;
  locale?: string;
  settings?: Record<string, string[]>;
  tokens: { lemma: string; kind: string; start: number; end: number }[];
}

interface ReadLine {
  from?: string;
  text: string;
  locales?: string[];
  tokens: RecordedToken[];
}

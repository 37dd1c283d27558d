/** `search`: one search, shown as a table; or, on a terminal and without a query, one with every key that is pressed. */

import { OptionError } from "../options/error.ts";
import { type Document, indexPath } from "./api.ts";
import { type Given, type Usage, withServer } from "./arguments.ts";
import type { Connection } from "./connection.ts";
import { MARK_BEGIN, MARK_END, withMarks } from "./highlights.ts";
import { liveSearch } from "./search-live.ts";
import { tableText, valueText } from "./table.ts";
import { coloursOf, say, type Terminal } from "./terminal.ts";

const USAGE: Usage = {
  line: "search INDEX [QUERY…] [OPTIONS]",
  does: "Searches an index. Without a query, on a terminal, it searches as you type: the arrow keys move, Enter shows the whole\ndocument, Escape ends.",
  options: {
    "index <name>": "the index, instead of the first word",
    "limit <count>": "hits to show [default: 20, or what fits]",
    "filter <expression>": "such as 'year > 1950 AND genres = drama'",
    "sort <rules>": "such as year:desc,title:asc",
    "fields <names>": "fields to show, separated by commas",
    json: "print the answer of the server as it is",
  },
  words: [0, Number.MAX_SAFE_INTEGER],
};

export interface SearchAnswer {
  hits: (Document & { _formatted?: Document })[];
  processingTimeMs: number;
  estimatedTotalHits?: number;
}

export type Ask = (q: string, limit: number) => Promise<SearchAnswer>;

const LIMIT = 20;
const FIELDS_SHOWN = 4;

export function search(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const named = given.text("index");
    const index = named ?? given.words[0];
    if (index === undefined) throw new OptionError("no index is named: `search INDEX [QUERY…]`; see --help");
    const words = named === null ? given.words.slice(1) : given.words;
    const ask = asker(connection, index, given);
    const isLive = words.length === 0 && terminal.input.isTTY === true && terminal.output.isTTY === true;
    if (isLive && !given.flag("json")) return await liveSearch(index, ask, given.list("fields"), terminal);
    const answer = await ask(words.join(" "), given.count("limit", LIMIT));
    if (given.flag("json")) say(terminal.output, JSON.stringify(answer));
    else show(answer, given, terminal);
    return 0;
  });
}

function asker(connection: Connection, index: string, given: Given): Ask {
  const [filter, sort, isJson] = [given.text("filter"), given.list("sort"), given.flag("json")];
  const marks = { attributesToHighlight: ["*"], highlightPreTag: MARK_BEGIN, highlightPostTag: MARK_END };
  return (q, limit) => {
    const body = {
      q,
      limit,
      ...(filter !== null && { filter }),
      ...(sort !== null && { sort }),
      ...(!isJson && marks),
    };
    return connection.json<SearchAnswer>("POST", indexPath(index, "/search"), { body });
  };
}

function show({ hits, estimatedTotalHits, processingTimeMs }: SearchAnswer, given: Given, terminal: Terminal): void {
  const fields = given.list("fields") ?? fieldsOf(hits);
  const colours = coloursOf(terminal.output, terminal.env);
  const rows = hits.map(({ _formatted: formatted, ...hit }) =>
    fields.map((field) => withMarks(valueText((formatted ?? hit)[field] ?? hit[field]), colours)),
  );
  if (fields.length > 0) terminal.output.write(tableText(fields, rows, terminal));
  if (terminal.output.isTTY) {
    say(terminal.notes, colours.dim(`${hits.length} of about ${estimatedTotalHits} hits, ${processingTimeMs} ms`));
  }
}

/** Those that most hits have, in the order of the first ones; short ones are good to look at. */
export function fieldsOf(hits: readonly Document[]): string[] {
  const counts = new Map<string, number>();
  for (const { _formatted: _, ...hit } of hits) {
    for (const [name, value] of Object.entries(hit)) {
      const isPlain =
        typeof value !== "object" || (Array.isArray(value) && value.every((item) => typeof item !== "object"));
      if (isPlain && value !== null && !name.startsWith("_")) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, count]) => count * 2 >= hits.length)
    .map(([name]) => name)
    .slice(0, FIELDS_SHOWN);
}

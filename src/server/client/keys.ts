/** `keys`: the API keys of the server; to list, make and delete them takes the master key. */
import { OptionError } from "../options/error.ts";
import { type Given, type Usage, withServer } from "./arguments.ts";
import type { Connection } from "./connection.ts";
import { tableText } from "./table.ts";
import { say, type Terminal } from "./terminal.ts";

const USAGE: Usage = {
  line: "keys [list] | create | delete KEY",
  does: "Lists the API keys, makes one, or deletes one.",
  options: {
    "actions <names>": "what a new key may do, such as search or documents.add,documents.get",
    "index <names>": "indexes of a new key, or patterns of them [default: *]",
    "name <text>": "name of a new key",
    "expires <time>": "when a new key ends: a date, or days from now such as 30d [default: never]",
    json: "print JSON",
  },
  words: [0, 2],
};

interface ApiKey {
  key: string;
  uid: string;
  name: string | null;
  actions: string[];
  indexes: string[];
  expiresAt: string | null;
}

const PAGE = 1000;
const WHOLE = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;

export function keys(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const [what = "list", key] = given.words;
    if (what === "list") await list(connection, given, terminal);
    else if (what === "create") await create(connection, given, terminal);
    else if (what === "delete" && key !== undefined) {
      await connection.bytes("DELETE", `/keys/${encodeURIComponent(key)}`);
      say(terminal.output, "deleted");
    } else throw new OptionError("say list, create, or delete and a key; see --help");
    return 0;
  });
}

async function list(connection: Connection, given: Given, terminal: Terminal): Promise<void> {
  const { results } = await connection.json<{ results: ApiKey[] }>("GET", `/keys?limit=${PAGE}`);
  if (given.flag("json")) {
    say(terminal.output, JSON.stringify(results));
    return;
  }
  const rows = results.map(({ name, key, actions, indexes, expiresAt }) => [
    name ?? "",
    key,
    actions.join(","),
    indexes.join(","),
    expiresAt ?? "never",
  ]);
  // A key that is cut off is of no use: then rather lines that are too long.
  terminal.output.write(tableText(["name", "key", "actions", "indexes", "expires"], rows, terminal, WHOLE));
}

async function create(connection: Connection, given: Given, terminal: Terminal): Promise<void> {
  const body = {
    name: given.text("name"),
    actions: given.list("actions") ?? [given.demand("actions")],
    indexes: given.list("index") ?? ["*"],
    expiresAt: expiry(given.text("expires")),
  };
  const made = await connection.json<ApiKey>("POST", "/keys", { body });
  say(terminal.output, given.flag("json") ? JSON.stringify(made) : made.key);
}

function expiry(text: string | null): string | null {
  if (text === null) return null;
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const time = days === undefined ? Date.parse(text) : Date.now() + Number(days) * DAY_MS;
  if (Number.isNaN(time)) throw new OptionError(`option \`--expires\`: \`${text}\` is no time`);
  return new Date(time).toISOString();
}

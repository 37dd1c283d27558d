/** `tasks`: what was asked of the server and what became of it; `--watch` goes on telling as it happens. */
import type { Task } from "./api.ts";
import { type Given, type Usage, withServer } from "./arguments.ts";
import type { Connection } from "./connection.ts";
import { tableText } from "./table.ts";
import { taskEvents } from "./task-events.ts";
import { coloursOf, say, type Terminal } from "./terminal.ts";

const USAGE: Usage = {
  line: "tasks [--watch] [OPTIONS]",
  does: "Lists tasks, the newest first; with --watch tells of every change until it is interrupted.",
  options: {
    watch: "go on, and tell of changes as they happen",
    "limit <count>": "tasks to list [default: 20]",
    "statuses <names>": "such as failed,canceled",
    "types <names>": "such as documentAdditionOrUpdate,settingsUpdate",
    "index <names>": "tasks of these indexes only",
    json: "print lines of JSON",
  },
};

const LIMIT = 20;
const HEADINGS = ["task", "status", "type", "index", "took", "problem"];

export function tasks(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const query = filters(given);
    if (given.flag("watch")) {
      await watch(connection, given, query, terminal);
      return 0;
    }
    query.set("limit", String(given.count("limit", LIMIT)));
    const { results } = await connection.json<{ results: Task[] }>("GET", `/tasks?${query}`);
    if (given.flag("json")) for (const task of results) say(terminal.output, JSON.stringify(task));
    else terminal.output.write(tableText(HEADINGS, results.map(rowOf), terminal));
    return 0;
  });
}

function filters(given: Given): URLSearchParams {
  const query = new URLSearchParams();
  for (const [option, name] of [
    ["statuses", "statuses"],
    ["types", "types"],
    ["index", "indexUids"],
  ] as const) {
    const value = given.text(option);
    if (value !== null) query.set(name, value);
  }
  return query;
}

/** Until it is interrupted, or nobody reads any more. */
async function watch(connection: Connection, given: Given, query: URLSearchParams, terminal: Terminal): Promise<void> {
  const stop = new AbortController();
  terminal.output.once("error", () => stop.abort());
  const { dim } = coloursOf(terminal.output, terminal.env);
  if (terminal.output.isTTY) say(terminal.notes, dim("What changes shows here as it happens; Ctrl+C ends."));
  const told = new Map<number, string>();
  const tell = (task: Task): void => {
    if (told.get(task.uid) === task.status) return;
    if (task.finishedAt === null) told.set(task.uid, task.status);
    else told.delete(task.uid);
    say(terminal.output, given.flag("json") ? JSON.stringify(task) : lineOf(task, terminal));
  };
  // A list may be narrowed by more than a stream has to tell.
  const pending = new URLSearchParams(query);
  if (!pending.has("statuses")) pending.set("statuses", "enqueued,processing");
  for await (const event of taskEvents(connection, `?${query}`, stop.signal)) {
    if (event.kind === "task") tell(event.task);
    else {
      const { results } = await connection.json<{ results: Task[] }>("GET", `/tasks?${pending}`);
      for (const task of results.reverse()) tell(task);
    }
  }
}

function rowOf({ uid, status, type, indexUid, duration, error }: Task): string[] {
  return [String(uid), status, type, indexUid ?? "", tookText(duration), error?.message ?? ""];
}

function lineOf(task: Task, terminal: Terminal): string {
  const { green, red, yellow, dim } = coloursOf(terminal.output, terminal.env);
  const paint = { enqueued: dim, processing: yellow, succeeded: green, failed: red, canceled: dim }[task.status];
  const [uid, status, ...rest] = rowOf(task);
  return [uid, paint((status ?? "").padEnd("processing".length)), ...rest].join("  ").trimEnd();
}

/** A duration as people say it; ISO 8601 is for machines. */
function tookText(duration: string | null): string {
  const seconds = /^PT([\d.]+)S$/.exec(duration ?? "")?.[1];
  if (seconds === undefined) return duration ?? "";
  return Number(seconds) < 1 ? `${Math.round(Number(seconds) * 1000)} ms` : `${Number(seconds).toFixed(1)} s`;
}

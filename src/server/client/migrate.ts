/**
 * `migrate`: everything of a running server, this one or another of the same interface, into this one: indexes with their
 * settings and documents, and the keys. Documents pass as the bytes that they are, a page at a time.
 */
import { type Index, indexPath, type Settings } from "./api.ts";
import { type Given, type Usage, withServer } from "./arguments.ts";
import { Connection, persistently, ServerError } from "./connection.ts";
import { cutterFor } from "./import/cutters.ts";
import { countText, ProgressLine } from "./progress-line.ts";
import { failureOf, finished, TaskTracker } from "./task-events.ts";
import { say, type Terminal } from "./terminal.ts";

const USAGE: Usage = {
  line: "migrate --from URL [OPTIONS]",
  does: "Copies indexes (settings and documents) and API keys of a running Meilisearch or Sabre into this server. What has the\nsame name there is replaced. Keys stay valid where both servers have the same master key.",
  options: {
    "from <address>": "server to copy from",
    "from-key <key>": "a key of that server; its master key, to copy keys as well",
    "index <names>": "only these indexes",
    "page-size <count>": "documents to fetch at a time [default: 1000]",
    "retry <seconds>": "how long to go on trying to reach either server [default: 300]",
  },
};

const PAGE = 1000;
const RETRY_S = 300;
const INDEXES_MAX = 10_000;
/** Not to be written, or known to one of the two sides only. */
const READ_ONLY_KEY_FIELDS = ["key", "createdAt", "updatedAt"];

export function migrate(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const migration = new Migration(given, connection, terminal);
    try {
      return await migration.run();
    } finally {
      migration.close();
    }
  });
}

class Migration {
  readonly #given: Given;
  readonly #terminal: Terminal;
  readonly #from: Connection;
  readonly #to: Connection;
  readonly #line: ProgressLine;
  readonly #tracker: TaskTracker;
  readonly #failures: string[] = [];

  constructor(given: Given, to: Connection, terminal: Terminal) {
    this.#given = given;
    this.#terminal = terminal;
    this.#from = new Connection(given.demand("from"), given.text("from-key"));
    this.#to = to;
    this.#line = new ProgressLine(terminal.notes, terminal.env);
    this.#tracker = new TaskTracker(this.#to, (task) => {
      if (task.status !== "succeeded") this.#failures.push(failureOf(task));
    });
  }

  async run(): Promise<number> {
    const wanted = this.#given.list("index");
    const all = await this.#from.json<{ results: Index[] }>("GET", `/indexes?limit=${INDEXES_MAX}`);
    const indexes = all.results.filter(({ uid }) => wanted === null || wanted.includes(uid));
    for (const index of indexes) await this.#index(index);
    await this.#tracker.done();
    if (wanted === null) await this.#keys();
    for (const failure of this.#failures) say(this.#terminal.notes, failure);
    return this.#failures.length === 0 ? 0 : 1;
  }

  async #index({ uid, primaryKey }: Index): Promise<void> {
    const settings = await this.#from.json<Settings>("GET", indexPath(uid, "/settings"));
    try {
      await finished(this.#to, "POST", "/indexes", { body: { uid, primaryKey } });
    } catch (error) {
      if (!(error as Error).message.includes("already exists")) throw error;
    }
    // Before the documents: so they are indexed once.
    await this.#settings(uid, settings);
    const documents = await this.#documents(uid);
    this.#line.clear();
    say(this.#terminal.output, `${uid}: ${countText(documents)} documents, settings`);
  }

  /** Without those that need a feature which is switched off here. */
  async #settings(uid: string, settings: Settings): Promise<void> {
    try {
      await finished(this.#to, "PATCH", indexPath(uid, "/settings"), { body: settings });
    } catch (error) {
      const name = /^Setting `(\w+)`/.exec((error as Error).message)?.[1];
      if (!(error instanceof ServerError) || name === undefined || !Object.hasOwn(settings, name)) throw error;
      const { [name]: left, ...others } = settings;
      this.#note(`${uid}: the setting ${name} was left out, which was ${JSON.stringify(left)}: ${error.message}`);
      await this.#settings(uid, others);
    }
  }

  async #documents(uid: string): Promise<number> {
    const limit = this.#given.count("page-size", PAGE);
    for (let offset = 0; ; offset += limit) {
      const path = indexPath(uid, `/documents?limit=${limit}&offset=${offset}&retrieveVectors=true`);
      const page = await this.#persistently(() => this.#from.bytes("GET", path));
      const { body, documents, total } = pageOf(page);
      if (documents > 0) {
        const send = () => this.#to.json<{ taskUid: number }>("POST", indexPath(uid, "/documents"), { body });
        this.#tracker.add((await this.#persistently(send)).taskUid);
      }
      const reached = offset + documents;
      const facts = [`${countText(reached)} of ${countText(total)} documents`];
      this.#line.show(() => ({ label: uid, share: total === 0 ? 1 : reached / total, facts }));
      if (documents === 0 || reached >= total) return reached;
    }
  }

  #persistently<T>(action: () => Promise<T>): Promise<T> {
    const seconds = this.#given.count("retry", RETRY_S);
    return persistently(action, { seconds, onRetry: (error) => this.#note(`${error.message}; trying again`) });
  }

  async #keys(): Promise<void> {
    let copied = 0;
    try {
      const { results } = await this.#from.json<{ results: Record<string, unknown>[] }>("GET", "/keys?limit=1000");
      for (const key of results) {
        const body = Object.fromEntries(Object.entries(key).filter(([name]) => !READ_ONLY_KEY_FIELDS.includes(name)));
        try {
          await this.#to.json("POST", "/keys", { body });
          copied++;
        } catch (error) {
          if (!(error instanceof ServerError) || error.code !== "api_key_already_exists") throw error;
        }
      }
      say(this.#terminal.output, `${copied} keys`);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      this.#note(`keys were not copied: ${error.message}`);
    }
  }

  #note(text: string): void {
    this.#line.clear();
    say(this.#terminal.notes, text);
  }

  close(): void {
    this.#tracker.stop();
    this.#from.close();
  }
}

/** The list of documents in an answer, as it stands there: numbers too large to be read exactly stay what they are. */
function pageOf(answer: Buffer): { body: Uint8Array[]; documents: number; total: number } {
  const begin = answer.indexOf('"results":') + '"results":'.length;
  const cutter = cutterFor("json");
  const end = begin + cutter.advance(answer.subarray(begin));
  const total = Number(/"total":(\d+)/.exec(answer.subarray(end).toString("latin1"))?.[1] ?? 0);
  return { body: cutter.body([answer.subarray(begin, end)]), documents: cutter.documents, total };
}

/**
 * `migrate`: everything of a running server, this one or another of the same interface, into this one: indexes with their
 * settings and documents, and the keys. Goes on where it was when it was interrupted.
 */
import { type Index, indexPath, type Settings, type Task, type TaskSummary } from "../api.ts";
import { type Given, isAboutKey, type Usage, withKeyOption, withServer } from "../arguments.ts";
import { Connection, persistently, ServerError } from "../connection.ts";
import { FRESH, ImportState, type Progress, stillThere } from "../import/state.ts";
import { countText, numberOf, ProgressLine } from "../progress-line.ts";
import { failureOf, finished, TaskFailed, TaskTracker } from "../task-events.ts";
import { say, type Terminal } from "../terminal.ts";
import { copyKeys } from "./keys.ts";
import { documentPages } from "./pages.ts";
import { copySettings } from "./settings.ts";

const USAGE: Usage = {
  line: "migrate --from URL [OPTIONS]",
  does: "Copies indexes (settings and documents) and API keys of a running Meilisearch or Sabre into this server. Documents that\nhave the same id here are replaced, others stay. Keys stay valid where both servers have the same master key.",
  options: {
    "from <address>": "server to copy from",
    "from-key <key>": "a key of that server; its master key, to copy keys as well",
    "index <names>": "only these indexes, and no keys",
    "page-size <count>": "documents to fetch at a time [default: as many as make about 8 MB]",
    "retry <seconds>": "how long to go on trying to reach either server [default: 300]",
    restart: "begin anew instead of going on where an earlier run was",
  },
};

const RETRY_S = 300;
const INDEXES_A_PAGE = 1000;

export function migrate(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const migration = new Migration(given, connection, terminal);
    try {
      return await migration.run();
    } catch (error) {
      throw migration.isRefused(error) ? withKeyOption(error, "--from-key") : error;
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
  readonly #states: ImportState[] = [];
  /** Documents of the index under way that an embedder kept from coming over. */
  #unembedded: Task | null = null;

  constructor(given: Given, to: Connection, terminal: Terminal) {
    this.#given = given;
    this.#terminal = terminal;
    this.#from = new Connection(given.demand("from"), given.text("from-key"));
    this.#to = to;
    this.#line = new ProgressLine(terminal.notes, terminal.env);
    this.#tracker = new TaskTracker(this.#to, (task) => {
      if (task.status === "succeeded") return;
      if (embedderBlamed(task) === null) this.#failures.push(failureOf(task));
      else this.#unembedded ??= task;
    });
  }

  /** Whether it is the other server that wants another key. */
  isRefused(error: unknown): error is ServerError {
    return isAboutKey(error, this.#from);
  }

  async run(): Promise<number> {
    const wanted = this.#given.list("index");
    const all = await this.#indexes();
    const missing = wanted?.filter((name) => !all.some(({ uid }) => uid === name)) ?? [];
    for (const name of missing) this.#failures.push(`${name}: there is no such index`);
    for (const index of all) if (wanted?.includes(index.uid) ?? true) await this.#indexIfThere(index);
    await this.#tracker.done();
    if (wanted === null) {
      const copied = await copyKeys(this.#from, this.#to, {
        persistently: (action) => this.#persistently(action),
        note: (text) => this.#note(text),
      });
      if (copied !== null) say(this.#terminal.output, numberOf(copied, "key"));
    }
    for (const state of this.#states) state.forget();
    for (const failure of this.#failures) say(this.#terminal.notes, failure);
    return this.#failures.length === 0 ? 0 : 1;
  }

  async #indexes(): Promise<Index[]> {
    const all: Index[] = [];
    for (;;) {
      const path = `/indexes?limit=${INDEXES_A_PAGE}&offset=${all.length}`;
      const call = () => this.#from.json<{ results: Index[] }>("GET", path);
      const { results } = await this.#persistently(call);
      all.push(...results);
      if (results.length < INDEXES_A_PAGE) return all;
    }
  }

  /** Indexes may be deleted there while others are copied. */
  async #indexIfThere(index: Index): Promise<void> {
    try {
      await this.#index(index);
    } catch (error) {
      const isGone =
        error instanceof ServerError && error.code === "index_not_found" && error.connection === this.#from;
      if (!isGone) throw error;
      this.#failures.push(`${index.uid}: was deleted there meanwhile`);
    }
  }

  async #index(index: Index): Promise<void> {
    const { uid, primaryKey } = index;
    const settings = await this.#persistently(() => this.#from.json<Settings>("GET", indexPath(uid, "/settings")));
    try {
      await this.#persistently(() => finished(this.#to, "POST", "/indexes", { body: { uid, primaryKey } }));
    } catch (error) {
      if (!(error instanceof TaskFailed) || error.task.error?.code !== "index_already_exists") throw error;
    }
    // Before the documents: so they are indexed once.
    await this.#persistently(() => copySettings(this.#to, uid, settings, (text) => this.#note(text)));
    const documents = await this.#documentsWithoutBarriers(index);
    this.#line.clear();
    say(this.#terminal.output, `${uid}: ${numberOf(documents, "document")}, settings`);
  }

  /**
   * An embedder that documents lack vectors of, and that cannot be called from here, or not without its secret, would keep them
   * out: it goes, and they are sent anew.
   */
  async #documentsWithoutBarriers(index: Index): Promise<number> {
    const { uid } = index;
    const state = new ImportState(this.#terminal.env, "migrate", this.#from.base.href, this.#to.base.href, uid);
    this.#states.push(state);
    for (;;) {
      const documents = await this.#documents(index, state);
      await this.#tracker.done();
      const failed: Task | null = this.#unembedded;
      if (failed === null) return documents;
      this.#unembedded = null;
      const name = embedderBlamed(failed)!;
      const body = { embedders: { [name]: null } };
      await this.#persistently(() => finished(this.#to, "PATCH", indexPath(uid, "/settings"), { body }));
      this.#note(`${uid}: the embedder ${name} was left out, as documents need it: ${failed.error!.message}`);
      state.forget();
    }
  }

  async #documents({ uid, updatedAt }: Index, state: ImportState): Promise<number> {
    let { offset, taskUids } = await this.#reached(state, uid, updatedAt);
    for (const taskUid of taskUids) this.#tracker.add(taskUid);
    const pages = documentPages(this.#from, uid, offset, {
      size: this.#given.text("page-size") === null ? null : this.#given.count("page-size", 0),
      persistently: (action) => this.#persistently(action),
      note: (text) => this.#note(text),
    });
    for await (const { body, documents, total } of pages) {
      if (this.#unembedded !== null) break;
      const send = () => this.#to.json<TaskSummary>("POST", indexPath(uid, "/documents"), { body });
      const { taskUid, enqueuedAt } = await this.#persistently(send);
      this.#tracker.add(taskUid);
      taskUids = [...taskUids, taskUid];
      offset += documents;
      state.save({ offset, documents: offset, memory: updatedAt, taskUids, lastEnqueuedAt: enqueuedAt });
      const all = total ?? offset;
      const facts = [`${countText(offset)} of ${countText(all)} documents`];
      this.#line.show(() => ({ label: uid, share: all === 0 ? 1 : offset / all, facts }));
    }
    return offset;
  }

  /** What an earlier run has brought over, unless the index was written to since, which may have moved documents. */
  async #reached(state: ImportState, uid: string, updatedAt: string): Promise<Progress> {
    const progress = this.#given.flag("restart") ? null : state.load();
    if (progress === null || progress.memory !== updatedAt) return FRESH;
    if (!(await this.#persistently(() => stillThere(this.#to, progress)))) return FRESH;
    this.#note(`${uid}: goes on after ${countText(progress.documents)} documents`);
    return progress;
  }

  #persistently<T>(action: () => Promise<T>): Promise<T> {
    const seconds = this.#given.count("retry", RETRY_S);
    return persistently(action, { seconds, onRetry: (error) => this.#note(`${error.message}; trying again`) });
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

/** The name of the embedder that a task with documents failed by. */
function embedderBlamed({ type, error }: Task): string | null {
  if (type !== "documentAdditionOrUpdate" || error?.code !== "vector_embedding_error") return null;
  return /embedder `([^`]+)`/.exec(error.message)?.[1] ?? null;
}

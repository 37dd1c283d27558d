/** `import`: documents of files, or of a pipe, into an index: in batches, in their order, with what went before remembered. */
import { toSize } from "../../options/kinds.ts";
import type { Task, TaskSummary } from "../api.ts";
import { indexPath } from "../api.ts";
import { type Given, type Usage, withServer } from "../arguments.ts";
import { type Connection, persistently, ServerError } from "../connection.ts";
import { bytesText, countText, numberOf, ProgressLine, secondsText } from "../progress-line.ts";
import { failureOf, TaskTracker } from "../task-events.ts";
import { say, type Terminal } from "../terminal.ts";
import { type Batch, batchesOf } from "./batches.ts";
import { cutterFor, type Format } from "./cutters.ts";
import { formatNamed, openFile, openPipe, type Source } from "./source.ts";
import { FRESH, ImportState, type Progress, stillThere } from "./state.ts";

const USAGE: Usage = {
  line: "import FILE… --index NAME [OPTIONS]",
  does: "Sends the documents of files (JSON, NDJSON, CSV; gzip as well), or of standard input when there is none or `-`, to an\nindex. Goes on where it was when it was interrupted.",
  options: {
    "index <name>": "index to put them into",
    "primary-key <field>": "field with the ids, where the server could not tell",
    "format <format>": "json, ndjson or csv [default: by name, or by the first bytes]",
    "csv-delimiter <mark>": "what separates values [default: ,]",
    update: "keep the fields of documents that are not given",
    "batch-size <size>": "bytes of documents in one request, at most [default: 16 MB]",
    "retry <seconds>": "how long to go on trying to reach the server [default: 300]",
    restart: "begin anew instead of going on where an earlier import was",
  },
  words: [0, Number.MAX_SAFE_INTEGER],
};

const BATCH_BYTES = "16 MB";
const RETRY_S = 300;
const FAILURES_SHOWN = 5;
const NAMES: Record<Format, string> = { json: "JSON", objects: "JSON", ndjson: "NDJSON", csv: "CSV" };
/** What the server cannot know: how its parameter is given here. */
const ADVICE: Record<string, string> = {
  index_primary_key_no_candidate_found: "--primary-key names the field with the ids",
  index_primary_key_multiple_candidates_found: "--primary-key names the field with the ids",
};

export function importFiles(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const run = new ImportRun(given, connection, terminal);
    const names = given.words.length === 0 ? ["-"] : given.words;
    try {
      for (const name of names) await run.file(name);
      return await run.end();
    } finally {
      run.close();
    }
  });
}

class ImportRun {
  readonly #given: Given;
  readonly #terminal: Terminal;
  readonly #connection: Connection;
  readonly #line: ProgressLine;
  readonly #tracker: TaskTracker;
  readonly #states: ImportState[] = [];
  readonly #failures: Task[] = [];
  readonly #startedAt = performance.now();
  readonly #index: string;
  readonly #format: Format | null;
  readonly #batchBytes: number;
  #documents = 0;
  #tasks = 0;
  #tasksOver = 0;
  /** What is wrong just now. */
  #problem: string | null = null;

  constructor(given: Given, connection: Connection, terminal: Terminal) {
    this.#given = given;
    this.#terminal = terminal;
    this.#index = given.demand("index");
    const format = given.text("format");
    this.#format = format === null ? null : formatNamed(format);
    this.#batchBytes = toSize(given.text("batch-size") ?? BATCH_BYTES, "option `--batch-size`");
    this.#connection = connection;
    this.#line = new ProgressLine(terminal.notes, terminal.env);
    this.#tracker = new TaskTracker(this.#connection, (task) => {
      this.#tasksOver++;
      if (task.status !== "succeeded") this.#failures.push(task);
    });
  }

  async file(name: string): Promise<void> {
    const { progress, source, state } = await this.#open(name);
    for (const uid of progress.taskUids) this.#track(uid);
    if (progress.offset > 0) {
      const reach = `${bytesText(progress.offset)}, ${countText(progress.documents)} documents`;
      this.#note(`${source.name}: goes on after ${reach}`);
    }
    const cutter = cutterFor(source.format, progress.offset > 0 ? progress.memory : null);
    const options = { bytesMax: this.#batchBytes, offset: progress.offset };
    const batches = batchesOf(source.chunks, cutter, options)[Symbol.asyncIterator]();
    let { documents, taskUids } = progress;
    // While one batch is on its way, the next one is read.
    for (let next = batches.next(); ; ) {
      const batch = await next.catch((error: Error) => {
        throw new Error(`${source.name}: ${error.message}`);
      });
      if (batch.done) break;
      next = batches.next();
      next.catch(() => {});
      const { taskUid, enqueuedAt } = await this.#send(batch.value, source);
      documents += batch.value.documents;
      this.#documents += batch.value.documents;
      taskUids = [...taskUids, taskUid];
      this.#track(taskUid);
      const { end, memory } = batch.value;
      state?.save({ offset: end, documents, memory, taskUids, lastEnqueuedAt: enqueuedAt });
      this.#show(source);
    }
    if (documents === 0) this.#note(`${source.name}: there are no documents in it, read as ${NAMES[source.format]}`);
  }

  async #open(name: string): Promise<{ progress: Progress; source: Source; state: ImportState | null }> {
    if (name === "-") {
      if (this.#terminal.input.isTTY === true) this.#note("reads documents from the keyboard; Ctrl+D ends them");
      return { progress: FRESH, source: await openPipe(this.#terminal.input, this.#format), state: null };
    }
    let source = await openFile(name, this.#format, 0);
    const server = this.#connection.base.href;
    const state = new ImportState(this.#terminal.env, server, this.#index, source.identity ?? "", source.format);
    this.#states.push(state);
    const progress = await this.#reached(state, source);
    if (progress.offset > 0) source = await openFile(name, source.format, progress.offset);
    return { progress, source, state };
  }

  /** What an earlier run has brought there, and is there. */
  async #reached(state: ImportState, source: Source): Promise<Progress> {
    const progress = this.#given.flag("restart") ? null : state.load();
    if (progress === null) return FRESH;
    if (await this.#persistently(() => stillThere(this.#connection, progress), source)) return progress;
    this.#note(`${source.name}: begins anew, as the server does not have what was sent before`);
    return FRESH;
  }

  #track(uid: number): void {
    this.#tasks++;
    this.#tracker.add(uid);
  }

  async #send({ body }: Batch, source: Source): Promise<TaskSummary> {
    const query = new URLSearchParams();
    const primaryKey = this.#given.text("primary-key");
    const delimiter = this.#given.text("csv-delimiter");
    if (primaryKey !== null) query.set("primaryKey", primaryKey);
    if (delimiter !== null) query.set("csvDelimiter", delimiter);
    const path = indexPath(this.#index, `/documents${query.size > 0 ? `?${query}` : ""}`);
    const method = this.#given.flag("update") ? "PUT" : "POST";
    const { contentType } = cutterFor(source.format);
    return await this.#persistently(
      () => this.#connection.json<TaskSummary>(method, path, { body, contentType }),
      source,
    );
  }

  async #persistently<T>(action: () => Promise<T>, source: Source): Promise<T> {
    const seconds = this.#given.count("retry", RETRY_S);
    const result = await persistently(action, {
      seconds,
      onRetry: (error) => {
        if (this.#problem === null) this.#note(`${error.message}; trying again for ${seconds} s (--retry)`);
        this.#problem = error.message;
        this.#show(source);
      },
    });
    this.#problem = null;
    return result;
  }

  #show(source: Source): void {
    this.#line.show(() => {
      const seconds = (performance.now() - this.#startedAt) / 1000;
      const read = source.read();
      const share = source.bytes === null ? null : read / Math.max(1, source.bytes);
      const left = share === null ? [] : [`${secondsText((seconds / Math.max(share, 1e-9)) * (1 - share))} left`];
      const size = source.bytes === null ? bytesText(read) : `${bytesText(read)} of ${bytesText(source.bytes)}`;
      const speed = `${countText(this.#documents / seconds)} docs/s`;
      const facts = [size, speed, ...left, `${this.#tasksOver} of ${this.#tasks} tasks done`];
      return { label: source.name, share, facts: this.#problem === null ? facts : [this.#problem] };
    });
  }

  #note(text: string): void {
    this.#line.clear();
    say(this.#terminal.notes, text);
  }

  /** The exit status. */
  async end(): Promise<number> {
    const showing = setInterval(() => {
      const facts = [`${countText(this.#documents)} documents sent`, `${this.#tasksOver} of ${this.#tasks} tasks done`];
      this.#line.show(() => ({ label: this.#index, share: this.#tasksOver / Math.max(1, this.#tasks), facts }), true);
    }, 200);
    try {
      await this.#tracker.done();
    } catch (error) {
      // A key may be good for writing alone.
      if (!(error instanceof ServerError) || error.status !== 403) throw error;
      this.#note("the key may not see tasks: what becomes of them is not known");
    } finally {
      clearInterval(showing);
      this.#line.clear();
    }
    for (const state of this.#states) state.forget();
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const speed = `${countText(this.#documents / Math.max(seconds, 0.001))} a second`;
    const summary = `${numberOf(this.#documents, "document")} in ${seconds.toFixed(1)} s (${speed}), ${numberOf(this.#tasks, "task")}`;
    if (this.#failures.length === 0) {
      say(this.#terminal.output, `${this.#index}: ${summary}`);
      return 0;
    }
    for (const task of this.#failures.slice(0, FAILURES_SHOWN)) say(this.#terminal.notes, failureOf(task));
    const advice = this.#failures.map(({ error }) => ADVICE[error?.code ?? ""]).find((each) => each !== undefined);
    if (advice !== undefined) say(this.#terminal.notes, advice);
    say(this.#terminal.notes, `${this.#index}: ${this.#failures.length} of ${this.#tasks} tasks failed; ${summary}`);
    return 1;
  }

  close(): void {
    this.#tracker.stop();
  }
}

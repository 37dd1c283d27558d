/**
 * Writes of all kinds from several clients at once, and the state that must come of those whose tasks succeeded: they are
 * applied one by one to a model, and what the server shows is compared with it.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestEmbedder, vectorOf } from "../engine/writer/embedding/embedder.ts";
import { until } from "../lib/patience.ts";
import type { Task, TestServer } from "../lib/server.ts";

type Document = Record<string, unknown> & { id: string };
type Documents = Map<string, Document>;

interface Operation {
  /** Travels with the task, so that a task whose answer never arrived is recognised too. */
  mark: string;
  send(server: TestServer): Promise<{ status: number; body: unknown }>;
  apply(indexes: Map<string, IndexModel>): void;
}

interface IndexModel {
  documents: Documents;
  stopWords: string[];
  /** What the embedder is given of a document: one of `TEMPLATES`. */
  template: number;
}

const INDEXES = ["left", "right"];
const IDS = 40;

/** A template, and what it makes of a document. */
const TEMPLATES: { text: string; render(document: Document): string }[] = [
  {
    text: "{{doc.id}}{% if doc.a %} {{doc.a}}{% endif %}",
    render: ({ id, a }) => (a === undefined ? id : `${id} ${a}`),
  },
  {
    text: "{{doc.id}}{% if doc.mark %} {{doc.mark}}{% endif %}",
    render: ({ id, mark }) => (mark === undefined ? id : `${id} ${mark}`),
  },
];

/** Tasks that change no document and no setting. */
const UNMARKED = new Set(["taskCancelation", "indexCreation", "dumpCreation", "snapshotCreation"]);

/** Small and seeded, so that a failing run can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

interface CheckOptions {
  /** Tasks may have failed: then nothing of them may be there. */
  mayFail?: boolean;
  /** Archives that were given up may still lie there: the disk may have refused to remove them. */
  mayLeave?: boolean;
  /** Tasks that were finished before are read again, and must be as they were; else only those that came since are read. */
  all?: boolean;
}

export class MixedWrites {
  readonly acknowledged = new Map<number, string>();
  /** Answers that never came. */
  unanswered = 0;
  readonly #operations = new Map<string, Operation>();
  readonly #random: () => number;
  readonly #embedder: TestEmbedder | null;
  #serial = 0;
  /** Tells its writes from those of another run that meant a server whose address this one has now. */
  readonly #run = randomBytes(3).toString("hex");
  /** All that are finished, by uid, and what has come of them. */
  #finished: Task[] = [];
  #models = new Map<string, IndexModel>();

  constructor(random: () => number, embedder: TestEmbedder | null = null) {
    this.#random = random;
    this.#embedder = embedder;
  }

  async prepare(server: TestServer): Promise<void> {
    for (const uid of INDEXES) {
      await server.write("POST", "/indexes", { uid, primaryKey: "id" });
      if (this.#embedder === null) continue;
      const it = this.#embedder.settings({ documentTemplate: TEMPLATES[0]!.text });
      await server.write("PATCH", `/indexes/${uid}/settings`, { embedders: { it } });
    }
  }

  /** Sends one write; `onRefused` is given an answer that is no acknowledgement. */
  async send(server: TestServer, onRefused: (status: number, body: unknown) => void): Promise<void> {
    const op = this.operation();
    this.#operations.set(op.mark, op);
    let answer: { status: number; body: unknown };
    try {
      answer = await op.send(server);
    } catch {
      this.unanswered++;
      return;
    }
    if (answer.status !== 202 && answer.status !== 200) onRefused(answer.status, answer.body);
    else this.acknowledged.set((answer.body as { taskUid: number }).taskUid, op.mark);
  }

  /** Waits until no task waits, and compares all that can be seen. Returns the tasks. */
  async check(server: TestServer, cycle: string, options: CheckOptions = {}): Promise<Task[]> {
    const { mayFail = false, mayLeave = false, all = false } = options;
    const known = this.#finished.length;
    const read = await finishedTasks(server, all ? 0 : known);
    const tasks = all ? read.slice(known) : read;
    if (all) assert.deepEqual(outcomes(read.slice(0, known)), outcomes(this.#finished), `${cycle}: finished tasks`);
    for (const [position, { uid }] of tasks.entries()) assert.equal(uid, known + position, "task uids have a gap");
    for (const [uid, mark] of this.acknowledged) {
      assert.ok(uid < known + tasks.length, `${cycle}: acknowledged task ${uid} (${mark}) is lost`);
    }
    replay(tasks, this.#operations, mayFail, this.#models);
    this.#finished = [...this.#finished, ...tasks];
    await compare(server, this.#models, cycle);
    if (this.#embedder !== null) await compareVectors(server, this.#models, cycle);
    compareArchives(server.directory, tasks, cycle, mayLeave);
    return this.#finished;
  }

  operation(): Operation {
    const random = this.#random;
    const index = this.#pick(INDEXES);
    const mark = `op-${this.#run}-${this.#serial++}`;
    const url = (path: string) => `/indexes/${index}${path}?customMetadata=${mark}`;
    const some = () => Array.from({ length: 1 + Math.floor(random() * 8) }, () => `d${Math.floor(random() * IDS)}`);
    const documentsOf = (models: Map<string, IndexModel>): Documents => modelOf(models, index).documents;
    const kind = random();
    if (kind < 0.35) {
      const documents = some().map((id) => ({
        id,
        mark,
        text: `words of ${mark} ${"x".repeat(Math.floor(random() * 400))}`,
      }));
      return {
        mark,
        send: (s) => s.request("POST", url("/documents"), documents),
        apply: (models) => {
          for (const document of documents) documentsOf(models).set(document.id, document);
        },
      };
    }
    if (kind < 0.65) {
      const documents = some().map((id) => ({ id, [this.#pick(["a", "b", "c"])]: mark }));
      return {
        mark,
        send: (s) => s.request("PUT", url("/documents"), documents),
        apply: (models) => {
          for (const document of documents) {
            const stored = documentsOf(models).get(document.id);
            documentsOf(models).set(document.id, { ...stored, ...document });
          }
        },
      };
    }
    if (kind < 0.82) {
      const ids = some();
      // Now and then with so many that nobody has that they lie in a file of their own.
      const absent = random() < 0.25 ? Array.from({ length: 12_000 }, (_, i) => `nobody has ${i}`) : [];
      return {
        mark,
        send: (s) => s.request("POST", url("/documents/delete-batch"), [...ids, ...absent]),
        apply: (models) => {
          for (const id of ids) documentsOf(models).delete(id);
        },
      };
    }
    if (kind < 0.85) {
      return {
        mark,
        send: (s) => s.request("DELETE", url("/documents")),
        apply: (models) => documentsOf(models).clear(),
      };
    }
    if (kind < 0.93) {
      const template = Math.floor(random() * TEMPLATES.length);
      const documentTemplate = TEMPLATES[template]!.text;
      return {
        mark,
        send: (s) =>
          s.request("PATCH", `/indexes/${index}/settings`, {
            stopWords: [mark],
            filterableAttributes: [this.#pick(["a", "b"])],
            ...(this.#embedder === null ? {} : { embedders: { it: { documentTemplate } } }),
          }),
        apply: (models) => {
          modelOf(models, index).stopWords = [mark];
          modelOf(models, index).template = template;
        },
      };
    }
    if (kind < 0.97) {
      return {
        mark: `swap-${mark}`,
        send: (s) => s.request("POST", "/swap-indexes", [{ indexes: INDEXES }]),
        apply: (models) => {
          const [left, right] = INDEXES.map((uid) => modelOf(models, uid));
          models.set(INDEXES[0]!, right!);
          models.set(INDEXES[1]!, left!);
        },
      };
    }
    if (kind < 0.985) {
      const path = kind < 0.98 ? "/dumps" : "/snapshots";
      return { mark, send: (s) => s.request("POST", path), apply: () => {} };
    }
    const target = Math.max(0, Math.max(0, ...this.acknowledged.keys()) - Math.floor(random() * 3));
    return { mark, send: (s) => s.request("POST", `/tasks/cancel?uids=${target}`), apply: () => {} };
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!;
  }
}

function modelOf(models: Map<string, IndexModel>, uid: string): IndexModel {
  let model = models.get(uid);
  if (model === undefined) {
    model = { documents: new Map(), stopWords: [], template: 0 };
    models.set(uid, model);
  }
  return model;
}

/** Archives that were made are there as a whole, and nothing is there of others. They go then, lest they fill the disk. */
function compareArchives(directory: string, tasks: readonly Task[], cycle: string, mayLeave: boolean): void {
  const dumps = readdirSync(join(directory, "dumps"));
  for (const { type, status, details } of tasks) {
    if (type !== "dumpCreation" || status !== "succeeded") continue;
    assert.ok(dumps.includes(`${details?.["dumpUid"]}.dump`), `${cycle}: dump ${details?.["dumpUid"]} is gone`);
    rmSync(join(directory, "dumps", `${details?.["dumpUid"]}.dump`));
  }
  if (mayLeave) return;
  const left = [...dumps, ...readdirSync(join(directory, "snapshots"))].filter((name) => name.includes(".partial"));
  assert.deepEqual(left, [], `${cycle}: archives that were given up`);
}

/** What stays as it is once a task is finished: a swap renames the indexes of tasks before it. */
const outcomes = (tasks: readonly Task[]): unknown[] =>
  tasks.map(({ uid, batchUid, type, status, error, customMetadata }) => ({
    uid,
    batchUid,
    type,
    status,
    error,
    customMetadata,
  }));

/** The tasks from this uid on in the order of their uids, once none is waiting any more. */
async function finishedTasks(server: TestServer, from: number): Promise<Task[]> {
  const newest = await server.request<{ results: Task[] }>("GET", "/tasks?limit=1");
  for (const task of newest.body.results) await server.waitTask(task.uid);
  let open: unknown = null;
  const areDone = async (): Promise<boolean> => {
    const { body } = await server.request<{ total: number }>("GET", "/tasks?statuses=enqueued,processing&limit=1");
    open = body;
    return body.total === 0;
  };
  await until(areDone, () => `tasks do not end: ${JSON.stringify(open)}\n${server.output}`);
  const all = await server.request<{ results: Task[] }>("GET", `/tasks?limit=1000000&reverse=true&from=${from}`);
  return all.body.results;
}

function replay(
  tasks: Task[],
  operations: Map<string, Operation>,
  mayFail: boolean,
  models: Map<string, IndexModel>,
): void {
  const anySwap = [...operations.values()].find((op) => op.mark.startsWith("swap-"));
  for (const task of tasks) {
    if (task.status === "canceled" || UNMARKED.has(task.type)) continue;
    // An index that others look at.
    if (task.indexUid !== null && !INDEXES.includes(task.indexUid)) continue;
    if (task.status === "failed" && mayFail) continue;
    assert.equal(task.status, "succeeded", `task ${task.uid}: ${JSON.stringify(task.error)}`);
    if (task.type === "indexSwap") anySwap?.apply(models);
    else {
      const stopWords = task.details?.["stopWords"];
      // The embedders that the run begins with.
      if (task.type === "settingsUpdate" && stopWords === undefined) continue;
      const mark = task.type === "settingsUpdate" ? (stopWords as string[])[0] : task.customMetadata;
      const op = operations.get(mark ?? "");
      assert.ok(op, `nobody asked for task ${JSON.stringify(task)}`);
      op.apply(models);
    }
  }
}

async function compare(server: TestServer, models: Map<string, IndexModel>, cycle: string): Promise<void> {
  for (const uid of INDEXES) {
    const model = modelOf(models, uid);
    const stored = await server.request<{ results: Document[] }>("GET", `/indexes/${uid}/documents?limit=100000`);
    const actual = new Map(stored.body.results.map((document) => [document.id, document]));
    assert.equal(actual.size, stored.body.results.length, `${cycle}: ${uid} holds a document twice`);
    assert.deepEqual(sorted(actual), sorted(model.documents), `${cycle}: documents of ${uid}`);
    const settings = await server.request<{ stopWords: string[] }>("GET", `/indexes/${uid}/settings`);
    assert.deepEqual(settings.body.stopWords, model.stopWords, `${cycle}: settings of ${uid}`);
    const stats = await server.request<{ numberOfDocuments: number }>("GET", `/indexes/${uid}/stats`);
    assert.equal(stats.body.numberOfDocuments, model.documents.size);
  }
}

async function compareVectors(server: TestServer, models: Map<string, IndexModel>, cycle: string): Promise<void> {
  for (const uid of INDEXES) {
    const { documents, template } = modelOf(models, uid);
    const path = `/indexes/${uid}/documents?limit=100000&retrieveVectors=true`;
    const { body } = await server.request<{ results: (Document & { _vectors: Record<string, unknown> })[] }>(
      "GET",
      path,
    );
    for (const { id, _vectors } of body.results) {
      const text = TEMPLATES[template]!.render(documents.get(id)!);
      const made = { it: { embeddings: [vectorOf(text)], regenerate: true } };
      assert.deepEqual(_vectors, made, `${cycle}: vectors of ${id} in ${uid}`);
    }
  }
}

const sorted = (documents: Documents): Document[] => [...documents.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

/**
 * Kills a server at random moments under mixed writes and checks, after every restart, that each acknowledged task is
 * there and that the documents and settings are those of the finished tasks applied one by one: nothing lost, nothing half
 * done. With an embedder, documents must have the vectors of their text, whenever that was last embedded.
 */
import assert from "node:assert/strict";
import { type TestEmbedder, vectorOf } from "../embedding/embedder.ts";
import { type Task, TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

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

export interface CrashReport {
  cycles: number;
  acknowledged: number;
  unanswered: number;
  canceled: number;
}

/** Small and seeded, so that a failing run can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export async function crashCycles(
  cycles: number,
  seed: number,
  say: (text: string) => void,
  embedder: TestEmbedder | null = null,
): Promise<CrashReport> {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)];
  const directory = temporaryDirectory();
  const operations = new Map<string, Operation>();
  const acknowledged = new Map<number, string>();
  const report: CrashReport = { cycles: 0, acknowledged: 0, unanswered: 0, canceled: 0 };
  let serial = 0;
  // What is looked at here is written; a second reader would only make each of the many starts slower.
  const args = ["--experimental-allowed-ip-networks", "any", "--readers", "1"];
  let server = await TestServer.start({ directory, args });

  const operation = (): Operation => {
    const index = pick(INDEXES);
    const mark = `op-${serial++}`;
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
      const documents = some().map((id) => ({ id, [pick(["a", "b", "c"])]: mark }));
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
      return {
        mark,
        send: (s) => s.request("POST", url("/documents/delete-batch"), ids),
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
            filterableAttributes: [pick(["a", "b"])],
            ...(embedder === null ? {} : { embedders: { it: { documentTemplate } } }),
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
          models.set(INDEXES[0], right);
          models.set(INDEXES[1], left);
        },
      };
    }
    const target = Math.max(0, Math.max(0, ...acknowledged.keys()) - Math.floor(random() * 3));
    return { mark, send: (s) => s.request("POST", `/tasks/cancel?uids=${target}`), apply: () => {} };
  };

  for (const uid of INDEXES) {
    await server.write("POST", "/indexes", { uid, primaryKey: "id" });
    if (embedder === null) continue;
    const it = embedder.settings({ documentTemplate: TEMPLATES[0]!.text });
    await server.write("PATCH", `/indexes/${uid}/settings`, { embedders: { it } });
  }

  for (let cycle = 0; cycle < cycles; cycle++) {
    let alive = true;
    const client = async () => {
      while (alive) {
        const op = operation();
        operations.set(op.mark, op);
        try {
          const answer = await op.send(server);
          assert.ok(answer.status === 202 || answer.status === 200, `${answer.status} ${JSON.stringify(answer.body)}`);
          acknowledged.set((answer.body as { taskUid: number }).taskUid, op.mark);
          report.acknowledged++;
        } catch (problem) {
          if (problem instanceof assert.AssertionError) throw problem;
          report.unanswered++;
        }
      }
    };
    const clients = Array.from({ length: 4 }, client);
    await new Promise((resume) => setTimeout(resume, 20 + random() * 400));
    await server.kill();
    alive = false;
    await Promise.all(clients);

    server = await TestServer.start({ directory, args });
    const tasks = await finishedTasks(server);
    const byUid = new Map(tasks.map((task) => [task.uid, task]));
    for (const [uid, mark] of acknowledged)
      assert.ok(byUid.has(uid), `cycle ${cycle}: acknowledged task ${uid} (${mark}) is lost`);
    report.canceled = tasks.filter((task) => task.status === "canceled").length;
    const models = replay(tasks, operations);
    await compare(server, models, cycle);
    if (embedder !== null) await compareVectors(server, models, cycle);
    report.cycles++;
    if (cycle % 10 === 9) say(`${cycle + 1} of ${cycles} cycles, ${tasks.length} tasks`);
  }
  assert.equal(await server.stop(), 0);
  await server.dispose();
  return report;
}

function modelOf(models: Map<string, IndexModel>, uid: string): IndexModel {
  let model = models.get(uid);
  if (model === undefined) {
    model = { documents: new Map(), stopWords: [], template: 0 };
    models.set(uid, model);
  }
  return model;
}

/** All tasks in the order of their uids, once none is waiting any more. */
async function finishedTasks(server: TestServer): Promise<Task[]> {
  const newest = await server.request<{ results: Task[] }>("GET", "/tasks?limit=1");
  for (const task of newest.body.results) await server.waitTask(task.uid);
  for (;;) {
    const open = await server.request<{ total: number }>("GET", "/tasks?statuses=enqueued,processing&limit=1");
    if (open.body.total === 0) break;
    await new Promise((resume) => setTimeout(resume, 5));
  }
  const all = await server.request<{ results: Task[] }>("GET", "/tasks?limit=1000000&reverse=true");
  return all.body.results;
}

function replay(tasks: Task[], operations: Map<string, Operation>): Map<string, IndexModel> {
  const models = new Map<string, IndexModel>();
  const anySwap = [...operations.values()].find((op) => op.mark.startsWith("swap-"));
  for (const [position, task] of tasks.entries()) {
    assert.equal(task.uid, position, "task uids have a gap");
    if (task.status === "canceled" || task.type === "taskCancelation" || task.type === "indexCreation") continue;
    assert.equal(task.status, "succeeded", `task ${task.uid}: ${JSON.stringify(task.error)}`);
    if (task.type === "indexSwap") anySwap?.apply(models);
    else {
      const stopWords = task.details?.["stopWords"];
      // The embedders that the run begins with.
      if (task.type === "settingsUpdate" && stopWords === undefined) continue;
      const mark = task.type === "settingsUpdate" ? (stopWords as string[])[0] : task.customMetadata;
      const op = operations.get(mark ?? "");
      assert.ok(op, `task ${task.uid} came from nowhere`);
      op.apply(models);
    }
  }
  return models;
}

async function compare(server: TestServer, models: Map<string, IndexModel>, cycle: number): Promise<void> {
  for (const uid of INDEXES) {
    const model = modelOf(models, uid);
    const stored = await server.request<{ results: Document[] }>("GET", `/indexes/${uid}/documents?limit=100000`);
    const actual = new Map(stored.body.results.map((document) => [document.id, document]));
    assert.equal(actual.size, stored.body.results.length, `cycle ${cycle}: ${uid} holds a document twice`);
    assert.deepEqual(sorted(actual), sorted(model.documents), `cycle ${cycle}: documents of ${uid}`);
    const settings = await server.request<{ stopWords: string[] }>("GET", `/indexes/${uid}/settings`);
    assert.deepEqual(settings.body.stopWords, model.stopWords, `cycle ${cycle}: settings of ${uid}`);
    const stats = await server.request<{ numberOfDocuments: number }>("GET", `/indexes/${uid}/stats`);
    assert.equal(stats.body.numberOfDocuments, model.documents.size);
  }
}

async function compareVectors(server: TestServer, models: Map<string, IndexModel>, cycle: number): Promise<void> {
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
      assert.deepEqual(_vectors, made, `cycle ${cycle}: vectors of ${id} in ${uid}`);
    }
  }
}

const sorted = (documents: Documents): Document[] => [...documents.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { limits } from "../../../src/base/limits.ts";
import { startBatch } from "../../../src/storage/tasks/results.ts";
import { EventReader } from "../../lib/event-reader.ts";
import { until } from "../../lib/patience.ts";
import { type Api, startApi } from "./services.ts";
import { forEachTransport } from "./transports.ts";

const MASTER = "a master key of some length";
const asMaster = { authorization: `Bearer ${MASTER}` };

forEachTransport((transport) => {
  let api: Api;
  before(async () => {
    api = await startApi(transport, MASTER);
  });
  after(() => api.stop());

  const open = (path: string, headers: Record<string, string> = asMaster): Promise<EventReader> =>
    EventReader.open(api.base + path, headers);

  const deletion = (index: string) => api.tasks.enqueue({ type: "documentDeletion", by: "all" }, index);

  test("tasks and batches are told of as they change", async () => {
    const [tasks, batches] = await Promise.all([open("/tasks/stream"), open("/batches/stream")]);
    assert.equal(tasks.response.headers.get("content-type"), "text/event-stream");
    assert.equal(tasks.response.headers.get("cache-control"), "no-cache");
    const task = await deletion("movies");
    const enqueued = await tasks.next();
    assert.equal(enqueued?.event, "task");
    assert.deepEqual(enqueued?.data, (await api.call("GET", `/tasks/${task.uid}`, undefined, asMaster)).body);
    const indexUid = "movies";
    const batch = { kind: "clear" as const, indexUid, tasks: [task], strategy: "because", allowIndexCreation: false };
    api.tasks.onStarted(startBatch(batch, 0, 1_700_000_000_000_000));
    assert.equal((await tasks.next())?.data.status, "processing");
    assert.equal((await batches.next())?.data.progress.percentage, 0);
    api.tasks.onProgress(0, [{ currentStep: "working", finished: 1, total: 2 }]);
    const moved = await batches.next();
    assert.deepEqual([moved?.event, moved?.data.uid, moved?.data.progress.percentage], ["batch", 0, 50]);
    api.tasks.onAborted(0);
    assert.equal((await tasks.next())?.data.status, "enqueued");
    tasks.close();
    batches.close();
  });

  test("a stream can be narrowed as lists can, and refuses the same nonsense", async () => {
    const stream = await open("/tasks/stream?indexUids=books&types=documentDeletion&statuses=enqueued,processing");
    await deletion("movies");
    await api.tasks.enqueue({ type: "indexDeletion" }, "books");
    const wanted = await deletion("books");
    assert.equal((await stream.next())?.data.uid, wanted.uid);
    stream.close();
    const refused = await api.call("GET", "/tasks/stream?statuses=sleeping", undefined, asMaster);
    assert.deepEqual([refused.status, refused.body.code], [400, "invalid_task_statuses"]);
    assert.equal((await api.call("GET", "/tasks/stream?limit=3", undefined, asMaster)).status, 400);
  });

  test("a key sees the tasks of its indexes only, and is cut when it is deleted", async (t) => {
    const ring = api.services.keys!;
    const record = await ring.create({
      uid: null,
      name: null,
      description: null,
      actions: ["tasks.get"],
      indexes: ["own*"],
      expiresAt: null,
    });
    const stream = await open("/tasks/stream", { authorization: `Bearer ${ring.valueOf(record)}` });
    await deletion("other");
    await api.tasks.enqueue({ type: "dumpCreation" }, null);
    const own = await deletion("own-1");
    assert.equal((await stream.next())?.data.uid, own.uid);
    await ring.remove(record.uid);
    t.diagnostic("waits for the next sign of life");
    assert.equal(await stream.next(), null);
  });

  test("after a break nothing is missed", async () => {
    const first = await open("/tasks/stream");
    const known = await deletion("movies");
    await first.until(({ data }) => data.uid === known.uid);
    first.close();
    const missed = [await deletion("a"), await deletion("b")];
    const second = await open("/tasks/stream", { ...asMaster, "last-event-id": first.lastId });
    for (const { uid } of missed) assert.equal((await second.next())?.data.uid, uid);
    second.close();
    const idle = await open("/tasks/stream", { ...asMaster, "last-event-id": "000000000000-1" });
    assert.equal((await idle.next())?.event, "reset");
    idle.close();
  });

  test("there is a bound on streams, and those that end make room", async () => {
    const held = await Promise.all(Array.from({ length: 20 }, () => open("/tasks/stream")));
    const bound = limits.taskStreams;
    (limits as { taskStreams: number }).taskStreams = 20;
    try {
      const refused = await api.call("GET", "/batches/stream", undefined, asMaster);
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "10"]);
      for (const stream of held) stream.close();
      await until(
        async () => (await open("/batches/stream")).response.status !== 503,
        () => "there is room",
      );
    } finally {
      (limits as { taskStreams: number }).taskStreams = bound;
    }
  });
});

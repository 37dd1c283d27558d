import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { limits } from "../../../src/base/limits.ts";
import { Log } from "../../../src/base/log/log.ts";
import { encodePayload, preparePayload } from "../../../src/base/payload/prepare.ts";
import { serveHelperClient } from "../../../src/engine/helper/client.ts";
import type { JobInput } from "../../../src/engine/helper/jobs.ts";
import { HelperPool } from "../../../src/engine/helper/pool.ts";
import { WriterLink } from "../../../src/server/front/writer-link.ts";
import { prepareWriter, type WriterThread } from "../../../src/server/front/writer-thread.ts";
import { Catalog } from "../../../src/storage/index/catalog.ts";
import { decodeManifest } from "../../../src/storage/index/manifest.ts";
import { segmentPathIn } from "../../../src/storage/index/paths.ts";
import { ArenaViews } from "../../../src/storage/memory/arena-views.ts";
import { Control, FRONT_PIN } from "../../../src/storage/memory/control.ts";
import { verifySegment } from "../../../src/storage/segment/container.ts";
import { openStore } from "../../../src/storage/store/store.ts";
import { TaskLog } from "../../../src/storage/tasks/log.ts";
import { until, within } from "../../lib/patience.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("a writer that dies is replaced: state and tasks are still there, and no file in use is written over", {
  timeout: 240_000,
}, async () => {
  const directory = temporaryDirectory();
  const databasePath = path.join(directory, "db");
  mkdirSync(databasePath);
  const store = openStore(path.join(databasePath, "store"));
  const control = Control.create();
  const views = new ArenaViews();
  const catalog = new Catalog(control, FRONT_PIN, views, segmentPathIn(databasePath));
  const helpers = new HelperPool(2);
  /** Files that helpers were asked to build, and what is done when they are. */
  const built: string[] = [];
  let onBuild = (): void => {};
  const watchedHelpers: Pick<HelperPool, "run"> = {
    run(kind, input, transfer) {
      const running = helpers.run(kind, input, transfer);
      if (kind === "segment.build") {
        built.push((input as JobInput<"segment.build">).output);
        onBuild();
      }
      return running;
    },
  };
  const tasks: TaskLog = new TaskLog(store, { onEnqueued: (uid) => link.enqueued(uid) });
  const threads: WriterThread[] = [];
  const link = new WriterLink({
    start: () => {
      const storePorts = new MessageChannel();
      store.serve(storePorts.port1);
      const { port1, port2 } = new MessageChannel();
      serveHelperClient(watchedHelpers, port1);
      const embedPorts = new MessageChannel();
      const data = {
        databasePath,
        control: control.buffer,
        memories: new Map(views.memories()),
        storePort: storePorts.port2,
        helperPort: port2,
        builders: 1,
        memoryBytesMax: 1e9,
        workspacesBytes: 0,
        batchLimits: { tasks: 1000, payloadBytes: 1e9 },
        dumpDirectory: directory,
        snapshotDirectory: directory,
        s3: null,
        payloadBytesMax: 1e8,
        allowedIpNetworks: [],
        embedPort: embedPorts.port2,
        ignoredFailures: [],
        cellsFrom: null,
        graphsFrom: null,
        graphBuilder: "own" as const,
        shared: null,
      };
      return { data, transfer: [storePorts.port2, port2, embedPorts.port2] };
    },
    addArena: async (arena, memory) => views.add(arena, memory),
    onShown() {},
    removeArena: () => catalog.sweep(),
    tasks,
    onFinished: () => {},
    beforeNext: () => store.reopen(),
    log: new Log("off", "human"),
    prepare: () => {
      const begin = prepareWriter();
      return (data, transfer) => {
        const thread = begin(data, transfer);
        threads.push(thread);
        return thread;
      };
    },
  });
  await link.start();

  const add = async (id: number, text = "") => {
    const body = new TextEncoder().encode(JSON.stringify([{ id, text }]));
    const bytes = Buffer.concat(encodePayload(preparePayload(body, "json")));
    const content = {
      type: "documentAdditionOrUpdate",
      method: "replace",
      primaryKey: "id",
      payload: { kind: "inline", name: `p${id}`, bytes: bytes.length },
      documentsCount: 1,
      allowIndexCreation: true,
      skipCreation: false,
    } as const;
    return (await tasks.enqueue(content, "a", { payload: bytes })).uid;
  };
  const finished = async (uid: number) => {
    const isFinished = (): boolean => tasks.get(uid)?.finishedAt != null;
    await until(isFinished, () => `task ${uid} does not end: ${JSON.stringify(tasks.get(uid))}`);
    return tasks.get(uid)!.status;
  };
  const count = () => {
    const snapshot = catalog.pin();
    try {
      return snapshot.index("a")?.documentCount ?? 0;
    } finally {
      snapshot.release();
    }
  };

  assert.equal(await finished(await add(1)), "succeeded");
  for (let death = 1; death <= 3; death++) {
    const waiting = [await add(death * 10), await add(death * 10 + 1)];
    await threads.at(-1)!.terminate();
    for (const uid of waiting) assert.equal(await finished(uid), "succeeded");
    assert.equal(count(), 1 + 2 * death);
  }
  assert.equal(threads.length, 4);

  // A helper goes on building for a writer that is gone, while it builds the same for the next one.
  const killed = new Promise<void>((resolve) => {
    onBuild = () => {
      onBuild = () => {};
      void threads
        .at(-1)!
        .terminate()
        .then(() => resolve());
    };
  });
  const large = await add(100, "some words ".repeat(limits.inlineBuildBytes / 10));
  await within(killed, () => "no helper was asked to build, or the writer does not end");
  assert.equal(await finished(large), "succeeded");
  assert.equal(built.length, 2);
  assert.notEqual(built[0], built[1]);
  assert.equal(count(), 8);
  for (const [, { id }] of store.catalog.entries()) {
    for (const { file } of decodeManifest(store.manifests.get(id)!).segments) {
      assert.equal(verifySegment(segmentPathIn(databasePath)(`${id}`, file)), null);
    }
  }
  await link.stop();
  await helpers.stop();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

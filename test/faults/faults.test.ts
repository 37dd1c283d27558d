import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { until } from "../lib/patience.ts";
import { type Task, TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { type Fault, Faults } from "./faults.ts";
import { faultRounds } from "./harness.ts";

const faults = Faults.in(temporaryDirectory());
const WITH_COMPILER = { timeout: 240_000, skip: faults === null ? "there is no C compiler" : false };
faults?.close();

interface Stage {
  server: TestServer;
  faults: Faults;
}

async function withServer(act: (stage: Stage) => Promise<void>, args: readonly string[] = []): Promise<void> {
  const directory = temporaryDirectory();
  const own = Faults.in(directory)!;
  const server = await TestServer.start({ directory, args: ["--readers", "1", ...args], env: own.environment });
  try {
    await server.write("POST", "/indexes/books/documents", [{ id: 1, title: "Emma" }]);
    await act({ server, faults: own });
  } catch (problem) {
    throw new Error(`the server said:\n${server.output}`, { cause: problem });
  } finally {
    own.disarm();
    await server.dispose();
    own.close();
  }
}

async function search(server: TestServer): Promise<unknown[]> {
  const { status, body } = await server.request<{ hits: unknown[] }>("POST", "/indexes/books/search", { q: "emma" });
  assert.equal(status, 200, JSON.stringify(body));
  return body.hits;
}

const add = (server: TestServer, id: number) =>
  server.request<{ code?: string; message?: string; taskUid?: number }>("POST", "/indexes/books/documents", [{ id }]);

/** The first answer to a write that is not a refusal, once the fault is gone. */
async function acceptedAgain(server: TestServer, id: number): Promise<number> {
  let answer = await add(server, id);
  const isAccepted = async (): Promise<boolean> => {
    if (answer.status !== 202) answer = await add(server, id);
    return answer.status === 202;
  };
  await until(isAccepted, () => `still refused: ${JSON.stringify(answer.body)}`, { seconds: 20, firstMs: 20 });
  return answer.body.taskUid!;
}

for (const calls of [
  ["write", "store"],
  ["write", "store", "open", "entry"],
] as const) {
  test(
    `a full disk (${calls}) refuses writes by name, leaves searches alone, and is over when it is over`,
    WITH_COMPILER,
    () =>
      withServer(async ({ server, faults }) => {
        let accepted = 0;
        faults.arm({ error: "ENOSPC", calls });
        // A task finds room as long as the store has some that it took beforehand; its documents do not.
        for (let i = 0; i < 5; i++) {
          const { status, body } = await add(server, 2);
          assert.equal((await search(server)).length, 1);
          if (status === 202) {
            accepted++;
            assert.equal((await server.waitTask(body.taskUid!)).error?.code, "no_space_left_on_device");
          } else {
            assert.equal(status, 422, JSON.stringify(body));
            assert.equal(body.code, "no_space_left_on_device");
          }
        }
        const large = await server.request<{ code: string }>("POST", "/indexes/books/documents", [
          { id: 3, text: "x".repeat(4_000_000) },
        ]);
        assert.equal(large.body.code, "no_space_left_on_device");
        faults.disarm();
        const uid = await acceptedAgain(server, 4);
        assert.equal(uid, 1 + accepted, "a refused write has left a task");
        assert.equal((await server.waitTask(uid)).status, "succeeded");
        assert.equal((await server.request("GET", "/indexes/books/documents/2")).status, 404);
      }),
  );
}

test("a disk that fills up under a batch fails its tasks by name, or lets them wait", WITH_COMPILER, () =>
  withServer(async ({ server, faults }) => {
    for (let skip = 0; skip < 8; skip++) {
      faults.arm({ error: "ENOSPC", calls: ["write", "store"], skip });
      const answer = await add(server, 100 + skip);
      await search(server);
      await new Promise((resume) => setTimeout(resume, 30));
      faults.disarm();
      if (answer.status !== 202) continue;
      const task = await server.waitTask(answer.body.taskUid!);
      const found = await server.request("GET", `/indexes/books/documents/${100 + skip}`);
      assert.equal(found.status, task.status === "succeeded" ? 200 : 404);
      if (task.status !== "succeeded") assert.equal(task.error?.code, "no_space_left_on_device");
    }
  }),
);

test(
  "a server that was killed starts on a disk that is still full, answers, and goes on when there is room",
  WITH_COMPILER,
  async () => {
    const directory = temporaryDirectory();
    const own = Faults.in(directory)!;
    const options = { directory, args: ["--readers", "1"], env: own.environment };
    const killed = await TestServer.start(options);
    await killed.write("POST", "/indexes/books/documents", [{ id: 1, title: "Emma" }]);
    own.arm({ error: "ENOSPC", calls: ["write", "store"] });
    await killed.kill();
    const server = await TestServer.start(options);
    try {
      for (let id = 2; id < 5; id++) {
        const { status, body } = await add(server, id);
        const code = status === 202 ? (await server.waitTask(body.taskUid!)).error?.code : body.code;
        assert.equal(code, "no_space_left_on_device");
        assert.equal((await search(server)).length, 1);
      }
      own.disarm();
      const task = await server.waitTask(await acceptedAgain(server, 5));
      assert.equal(task.status, "succeeded", server.output);
    } finally {
      own.disarm();
      await server.dispose();
      own.close();
    }
  },
);

const broken: [string, Fault][] = [
  ["a sync of the store that fails", { error: "EIO", calls: ["sync"], times: 1 }],
  ["every write that fails for a while", { error: "EIO", calls: ["write", "meta", "sync"] }],
  ["a page of the store that fails", { error: "EIO", calls: ["store"], times: 1 }],
  ["all pages of the store that fail for a while", { error: "EIO", calls: ["store"] }],
  ["a page of the store that is cut short", { error: "short", calls: ["store"], times: 1 }],
  ...[0, 1, 2].map((skip): [string, Fault] => [
    `write ${skip} of the head of the store that fails`,
    { error: "EIO", calls: ["meta"], skip, times: 1 },
  ]),
];

test(
  "a write or sync that fails is an error that names it; what is on disk counts, and writes go on",
  WITH_COMPILER,
  () =>
    withServer(async ({ server, faults }) => {
      let id = 1000;
      for (const [name, fault] of broken) {
        faults.arm(fault);
        const refused = await add(server, ++id);
        assert.equal((await search(server)).length, 1);
        if (refused.status !== 202) {
          assert.equal(refused.status, 500, name);
          assert.match(refused.body.message!, /EIO/, name);
        }
        faults.disarm();
        const uid = await acceptedAgain(server, ++id);
        assert.equal((await server.waitTask(uid)).status, "succeeded", name);
        assert.equal((await server.request("GET", `/indexes/books/documents/${id}`)).status, 200, name);
        assert.equal((await search(server)).length, 1);
      }
    }),
);

test("pages of the store that cannot be written, again and again, end nothing", WITH_COMPILER, () =>
  withServer(async ({ server, faults }) => {
    const documents = [{ id: 7, text: "x".repeat(50_000) }];
    for (let round = 0; round < 60; round++) {
      faults.arm({ error: "EIO", calls: ["store"], skip: round % 6, times: 1 + (round % 3) });
      await Promise.all([1, 2, 3].map(() => server.request("POST", "/indexes/books/documents", documents)));
      assert.equal((await search(server)).length, 1);
      faults.disarm();
    }
    assert.equal((await server.waitTask(await acceptedAgain(server, 8))).status, "succeeded");
  }),
);

test("writers that are replaced while every write fails wake each other all the same", WITH_COMPILER, () =>
  withServer(async ({ server, faults }) => {
    for (let round = 0; round < 15; round++) {
      // The head fails first, so that the store is opened anew; what follows fails while the next writer starts.
      faults.arm({ error: "EIO", calls: ["write", "sync", "meta"], skip: 1 + (round % 2) });
      await Promise.all([1, 2, 3].map((id) => add(server, id + 10 * round)));
      assert.equal((await search(server)).length, 1);
      faults.disarm();
      assert.equal((await server.waitTask(await acceptedAgain(server, 9))).status, "succeeded");
    }
  }),
);

test(
  "a commit that is on disk though it was said to have failed counts, and its number is given to nobody else",
  WITH_COMPILER,
  () =>
    withServer(async ({ server, faults }) => {
      const send = (id: number) =>
        server.request<{ taskUid: number }>("POST", `/indexes/books/documents?customMetadata=${id}`, [{ id }]);
      const accepted = new Map<number, number>();
      let landed = 0;
      // What counts is the last write of a commit, its meta page. How many come before depends on what is committed.
      for (let id = 100; id < 124 || (landed === 0 && id < 400); id++) {
        const last =
          id % 2 === 0
            ? ({ calls: ["meta"], skip: 0 } as const)
            : ({ calls: ["store", "meta"], skip: id % 4 } as const);
        faults.arm({ error: "landed", ...last });
        const { status, body } = await send(id);
        if (status === 202) accepted.set(body.taskUid, id);
        faults.disarm();
        await acceptedAgain(server, 9);
        const { results } = (await server.request<{ results: Task[] }>("GET", "/tasks?limit=1000&reverse=true")).body;
        for (const [position, { uid }] of results.entries()) assert.equal(uid, position);
        for (const [uid, mark] of accepted) assert.equal(results[uid]!.customMetadata, String(mark));
        const shown = results.find(({ customMetadata }) => customMetadata === String(id));
        if (shown === undefined) continue;
        if (status !== 202) landed++;
        const found = await server.waitTask(shown.uid);
        const document = await server.request("GET", `/indexes/books/documents/${id}`);
        assert.equal(document.status, found.status === "succeeded" ? 200 : 404, JSON.stringify(found));
      }
      assert.ok(landed > 0, "no commit was on disk that was said to have failed");
    }),
);

test(
  "what a batch did whose commit is on disk though it was said to have failed shows no later than its end",
  WITH_COMPILER,
  () =>
    withServer(async ({ server, faults }) => {
      for (let id = 2; id < 8; id++) {
        // The first head is that of the task, the second that of its batch. In an index of its own, where nothing is merged.
        faults.arm({ error: "landed", calls: ["meta"], skip: 1 });
        const { status, body } = await server.request<{ taskUid: number }>("POST", `/indexes/${id}/documents`, [
          { id },
        ]);
        assert.equal(status, 202, JSON.stringify(body));
        await until(
          () => faults.counts().hit > 1,
          () => "no commit of a batch has failed",
        );
        faults.disarm();
        assert.equal((await server.waitTask(body.taskUid)).status, "succeeded");
        assert.equal((await server.request("GET", `/indexes/${id}/documents/${id}`)).status, 200);
      }
    }),
);

test(
  "webhooks are told of a batch whose commit is on disk though it was said to have failed",
  WITH_COMPILER,
  async () => {
    const told: string[] = [];
    const receiver = http
      .createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        told.push(...gunzipSync(Buffer.concat(chunks)).toString().trim().split("\n"));
        response.end();
      })
      .listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const act = async ({ server, faults }: Stage): Promise<void> => {
      const uids: number[] = [];
      for (let id = 2; id < 6; id++) {
        if (id % 2 === 0) faults.arm({ error: "landed", calls: ["meta"], skip: 1 });
        const { body } = await server.request<{ taskUid: number }>("POST", `/indexes/${id}/documents`, [{ id }]);
        const hasFailed = (): boolean => id % 2 !== 0 || faults.counts().hit > 1;
        await until(hasFailed, () => "no commit of a batch has failed");
        faults.disarm();
        assert.equal((await server.waitTask(body.taskUid)).status, "succeeded");
        uids.push(body.taskUid);
      }
      const tasks = (): Task[] => told.map((line) => JSON.parse(line) as Task);
      const seen = (): number[] => tasks().flatMap(({ uid, status }) => (status === "succeeded" ? [uid] : []));
      await until(
        () => uids.every((uid) => seen().includes(uid)),
        () => `of ${uids} the webhook was told of ${seen()}`,
        { seconds: 20 },
      );
      // The first one is that of the stage.
      assert.deepEqual(seen(), [0, ...uids]);
    };
    try {
      await withServer(act, ["--task-webhook-url", url, "--experimental-allowed-ip-networks", "any"]);
    } finally {
      receiver.close();
    }
  },
);

test("calls of the system that go wrong under mixed writes, one after the other", WITH_COMPILER, async (t) => {
  for (const seed of [12, 34]) t.diagnostic(JSON.stringify(await faultRounds(8, seed, (text) => t.diagnostic(text))));
});

test("a snapshot that meets a broken disk at any call fails by name or is whole, and ends nothing", WITH_COMPILER, () =>
  withServer(async ({ server, faults }) => {
    let made = 0;
    for (let skip = 0; skip < 24; skip++) {
      faults.arm({ error: "EIO", calls: ["write", "store", "sync"], skip });
      const { status, body } = await server.request<{ taskUid: number }>("POST", "/snapshots");
      const pause = new Promise((resume) => setTimeout(resume, 60));
      assert.equal((await search(server)).length, 1);
      await pause;
      faults.disarm();
      await acceptedAgain(server, 9);
      if (status !== 202) continue;
      const task = await server.waitTask(body.taskUid);
      if (task.status === "succeeded") made++;
      else assert.match(task.error!.message, /EIO|i\/o error|Input\/output error/i);
    }
    const task = await server.write("POST", "/snapshots");
    assert.equal(task.status, "succeeded", JSON.stringify(task.error));
    const snapshot = join(server.directory, "snapshots", "db.snapshot");
    const other = await TestServer.start({ args: ["--import-snapshot", snapshot, "--readers", "1"] });
    try {
      assert.equal((await search(other)).length, 1, `${made} snapshots were made meanwhile`);
    } finally {
      await other.dispose();
    }
  }),
);

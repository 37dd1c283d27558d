import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import { ApiError } from "../../../src/base/errors/errors.ts";
import type { ReaderRequests } from "../../../src/engine/link/requests.ts";
import { type Caller, type ReaderAnswer, ReaderPool, type ReaderPoolOptions } from "../../../src/engine/reader/pool.ts";
import { Control } from "../../../src/storage/memory/control.ts";
import { until } from "../../lib/patience.ts";
import { threadBundle } from "../../lib/thread-bundle.ts";

const thread = threadBundle(new URL("thread-fixture.ts", import.meta.url));

function poolFor(t: TestContext, options: Partial<ReaderPoolOptions> = {}): { pool: ReaderPool; control: Control } {
  const control = Control.create();
  const pool = new ReaderPool({ control, databasePath: tmpdir(), readers: 2, thread, ...options });
  pool.start();
  t.after(() => pool.stop());
  return { pool, control };
}

const get = (id: string, indexUid = ""): ReaderRequests["documents.get"] => ({
  indexUid,
  id,
  fields: null,
  retrieveVectors: false,
});

const list = (limit: number): ReaderRequests["documents.list"] => ({
  indexUid: "",
  offset: 0,
  limit,
  fields: null,
  ids: null,
  filter: null,
  sort: null,
  retrieveVectors: false,
  isShare: false,
});

const parsed = (answer: ReaderAnswer): unknown => JSON.parse(Buffer.from(answer.body).toString());

class HangUp implements Caller {
  aborted = false;
  stop = (): void => {};
  onAbort(stop: () => void): void {
    this.stop = stop;
  }
}

test("requests are answered, with errors as bodies", async (t) => {
  const { pool } = poolFor(t);
  const empty = await pool.request("documents.get", get("empty"));
  assert.deepEqual([empty.status, empty.contentType, parsed(empty)], [200, "application/json", {}]);
  const refused = await pool.request("documents.get", get("refuse"));
  assert.equal(refused.status, 400);
  assert.equal((parsed(refused) as { code: string }).code, "bad_request");
  const broken = await pool.request("documents.get", get("throw"));
  assert.equal(broken.status, 500);
  assert.equal((parsed(broken) as { code: string }).code, "internal");
  const missing = await pool.request("documents.get", get("throw-later", "movies"));
  assert.equal(missing.status, 404);
});

test("bodies and payloads of any size pass, also beyond the rings", async (t) => {
  const { pool } = poolFor(t, { requestRingBytes: 4096, answerRingBytes: 1024 });
  const sizes = [0, 1, 100, 1000, 5000, 300_000];
  const bodies = await Promise.all(sizes.map((size) => pool.request("documents.list", list(size))));
  assert.deepEqual(
    bodies.map(({ body }) => body.length),
    sizes,
  );
  for (const size of sizes) {
    const payload = Buffer.alloc(size, size & 255);
    const echo = await pool.request("payload.prepare", { format: "json", delimiter: 44 }, payload);
    assert.equal(Buffer.compare(Buffer.from(echo.body), payload), 0);
    assert.equal(echo.contentType, "application/octet-stream");
  }
});

test("what is said of an answer may be longer than the ring, too", async (t) => {
  const { pool } = poolFor(t, { readers: 1, answerRingBytes: 1024 });
  for (const size of [1, 100, 127, 128, 1000, 5000]) {
    for (const borrows of [true, false]) {
      const payload = Buffer.from(Uint8Array.from({ length: size }, (_, i) => i * 7));
      const asked = { format: "json", delimiter: 1 } as const;
      const { body, marks } = await pool.request("payload.prepare", asked, payload, null, borrows);
      assert.deepEqual([...body], [...payload]);
      assert.deepEqual([...(marks ?? [])], [...payload].reverse());
    }
  }
});

test("a reader serves others while a request waits for the outside", async (t) => {
  const { pool, control } = poolFor(t, { readers: 1 });
  await pool.request("documents.get", get("empty"));
  const slow = pool.request("documents.get", get("wait", "1000"));
  const quick = await Promise.all([1, 2, 3].map(() => pool.request("documents.get", get("empty"))));
  assert.equal(quick.length, 3);
  assert.equal(pool.pending, 1);
  assert.equal(control.oldestPin(), control.epoch);
  assert.deepEqual(parsed(await slow), { waited: "1000" });
  await until(
    () => control.oldestPin() === null,
    () => "no reader holds an epoch",
  );
});

test("too many waiting requests are turned away, later ones served again", async (t) => {
  const { pool } = poolFor(t, { readers: 1, queuedRequestsMax: 2 });
  await pool.request("documents.get", get("empty"));
  const busy = [1, 2, 3].map(() => pool.request("documents.get", get("sleep", "50")));
  await assert.rejects(
    pool.request("documents.get", get("empty")),
    (error) => error instanceof ApiError && error.code === "too_many_search_requests" && error.status === 503,
  );
  await Promise.all(busy);
  assert.equal((await pool.request("documents.get", get("empty"))).status, 200);
});

test("a request whose client hung up is not begun, a running one can notice", async (t) => {
  const { pool, control } = poolFor(t, { readers: 1 });
  await pool.request("documents.get", get("empty"));
  const [first, second] = [new HangUp(), new HangUp()];
  const running = pool.request("documents.get", get("until-canceled"), null, first);
  const waiting = pool.request("documents.get", get("sleep", "5000"), null, second);
  second.stop();
  await until(
    () => control.oldestPin() !== null,
    () => "the first one is begun",
  );
  first.stop();
  assert.deepEqual(parsed(await running), { canceled: true });
  assert.equal((await waiting).body.length, 0);
});

for (const death of ["exit", "crash"]) {
  test(`a reader that dies (${death}) fails only what it held and is replaced`, async (t) => {
    const deaths: Error[] = [];
    const { pool, control } = poolFor(t, { readers: 2, onReaderDeath: (error) => deaths.push(error) });
    await Promise.all([1, 2, 3, 4].map(() => pool.request("documents.get", get("empty"))));
    const dying = pool.request("documents.get", get(death));
    const others = Array.from({ length: 50 }, () => pool.request("documents.get", get("empty")));
    const failed = await dying;
    assert.equal(failed.status, 500);
    assert.equal((parsed(failed) as { code: string }).code, "internal");
    for (const answer of await Promise.all(others)) assert.equal(answer.status, 200);
    assert.equal(deaths.length, 1);
    const after = await Promise.all([1, 2, 3, 4].map(() => pool.request("documents.get", get("sleep", "20"))));
    for (const answer of after) assert.equal(answer.status, 200);
    await until(
      () => control.oldestPin() === null,
      () => "no reader holds an epoch",
    );
  });
}

test("a reader that dies with a request it took, and has not said so, fails it", async (t) => {
  const { pool } = poolFor(t, { readers: 1 });
  await pool.request("documents.get", get("empty"));
  const [dying, taken, waiting] = await Promise.all(
    ["exit-with-next", "empty", "empty"].map((id) => pool.request("documents.get", get(id))),
  );
  assert.equal(dying!.status, 500);
  assert.equal(taken!.status, 500);
  assert.equal(waiting!.status, 200);
});

test("a pool whose only reader died answers what was waiting", async (t) => {
  const { pool } = poolFor(t, { readers: 1 });
  await pool.request("documents.get", get("empty"));
  const dying = pool.request("documents.get", get("exit"));
  const waiting = pool.request("documents.get", get("empty"));
  assert.equal((await dying).status, 500);
  assert.equal((await waiting).status, 200);
});

test("stopping waits for answers under way and refuses new requests", async (t) => {
  const { pool } = poolFor(t);
  const running = pool.request("documents.get", get("sleep", "100"));
  const stopped = pool.stop();
  await assert.rejects(pool.request("documents.get", get("empty")));
  assert.equal((await running).status, 200);
  await stopped;
});

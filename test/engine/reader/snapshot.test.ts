import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ThreadFile } from "../../../src/base/bundle/threads.ts";
import { type ReaderAnswer, ReaderPool } from "../../../src/engine/reader/pool.ts";
import { until } from "../../lib/patience.ts";
import { builtThread, threadBundle } from "../../lib/thread-bundle.ts";
import { Library, without } from "../../storage/memory/library.ts";

function libraryWithReaders(
  t: TestContext,
  thread: ThreadFile = builtThread("reader-thread"),
): { library: Library; pool: ReaderPool } {
  const library: Library = new Library((id, memory) => pool.addArena(id, memory));
  const { control, databasePath } = library;
  const pool: ReaderPool = new ReaderPool({ control, databasePath, readers: 2, thread });
  pool.start();
  t.after(() => pool.stop());
  return { library, pool };
}

const parsed = <T>(answer: ReaderAnswer): T => JSON.parse(Buffer.from(answer.body).toString());

test("readers see whole states while segments and deletions come and go", { timeout: 180_000 }, async (t) => {
  const { library, pool } = libraryWithReaders(t, threadBundle(new URL("thread-fixture.ts", import.meta.url)));
  const { publisher } = library;
  // Each state: three segments with all rows of one generation; in odd generations the first row is deleted.
  const generations = Array.from({ length: 12 }, (_, g) =>
    [0, 1, 2].map((s) => library.segment("1", g * 3 + s, [`${g}-${s}-a`, `${g}-${s}-b`], 20 * (g + 1))),
  );
  const put = async (round: number): Promise<void> => {
    const entries = generations[round % generations.length]!;
    const segments = round % 2 === 1 ? entries.map((entry) => without(entry, [0])) : entries;
    const manifest = { ...library.manifest("1", segments), version: round };
    await publisher.publish({ put: [{ uid: "movies", manifest }] });
  };
  await put(0);
  let done = false;
  let asked = 0;
  const readers = Array.from({ length: 8 }, async () => {
    while (!done) {
      const header = { indexUid: "movies", id: "view", fields: null, retrieveVectors: false };
      const answer = await pool.request("documents.get", header);
      const view = parsed<{ documentCount: number; ids: string[]; bodies: string[] }>(answer);
      assert.equal(answer.status, 200, JSON.stringify(view));
      const generation = Number(view.ids[0]!.split("-")[0]);
      const kept = generation % 2 === 1 ? ["b"] : ["a", "b"];
      const expected = [0, 1, 2].flatMap((s) => kept.map((key) => `${generation}-${s}-${key}`));
      assert.deepEqual(view.ids, expected);
      assert.equal(view.documentCount, expected.length);
      assert.ok(view.bodies.every((body, s) => body.startsWith(`{"id":"${generation}-${s}-a"`)));
      asked++;
    }
  });
  let round = 0;
  // Until both sides have done their share, however slow the machine.
  while (asked < 1000 || round < 200) {
    await put(++round);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  done = true;
  await Promise.all(readers);
  await until(
    () => publisher.collect() === 0 && library.control.oldestPin() === null,
    () => "no reader holds an epoch",
  );
});

test("documents are read through the pool", async (t) => {
  const { library, pool } = libraryWithReaders(t);
  const entry = library.segment("1", 0, ["a", "b", "c"]);
  await library.publisher.publish({ put: [{ uid: "movies", manifest: library.manifest("1", [without(entry, [1])]) }] });
  const get = (indexUid: string, id: string) =>
    pool.request("documents.get", { indexUid, id, fields: null, retrieveVectors: false });
  assert.deepEqual(parsed(await get("movies", "c")), { id: "c", text: "" });
  assert.equal((await get("movies", "b")).status, 404);
  assert.equal(parsed<{ code: string }>(await get("books", "b")).code, "index_not_found");
  const header = {
    indexUid: "movies",
    offset: 0,
    limit: 10,
    fields: ["id"],
    ids: null,
    filter: null,
    sort: null,
    retrieveVectors: false,
    isShare: false,
  };
  assert.deepEqual(parsed(await pool.request("documents.list", header)), {
    results: [{ id: "a" }, { id: "c" }],
    offset: 0,
    limit: 10,
    total: 2,
  });
});

test("a broken index is refused, not read", async (t) => {
  const { library, pool } = libraryWithReaders(t);
  const manifest = library.manifest("1", []);
  await library.publisher.publish({ put: [{ uid: "movies", manifest, problem: "a checksum differs" }] });
  const answer = await pool.request("documents.get", {
    indexUid: "movies",
    id: "a",
    fields: null,
    retrieveVectors: false,
  });
  assert.equal(answer.status, 500);
});

test("a payload is prepared, a malformed one refused", async (t) => {
  const { pool } = libraryWithReaders(t);
  const prepare = (body: string) =>
    pool.request("payload.prepare", { format: "json", delimiter: 44 }, Buffer.from(body));
  const good = await prepare('[{"id":1},{"id":2}]');
  assert.deepEqual([good.status, good.contentType], [200, "application/octet-stream"]);
  const bad = await prepare('[{"id":1}');
  assert.deepEqual([bad.status, parsed<{ code: string }>(bad).code], [400, "malformed_payload"]);
});

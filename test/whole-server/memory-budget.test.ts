/** What does not fit into the memory that indexes may take is refused, says so, and leaves what is there as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

const documents = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    title: `word${from + i} other${(from + i) * 7} third${i}`,
  }));

interface Found {
  estimatedTotalHits: number;
  message?: string;
}

test("beyond --memory-budget tasks fail with a code of their own, and a smaller budget damages nothing", async () => {
  const directory = temporaryDirectory();
  const start = (...args: string[]) => TestServer.start({ directory, args: ["--readers", "1", ...args] });
  let server = await start("--memory-budget", "1500KB");
  try {
    await server.write("POST", "/indexes/small/documents", documents(0, 5));
    let fits = 0;
    for (;;) {
      const task = await server.write("POST", "/indexes/large/documents", documents(fits, 2000));
      if (task.status === "succeeded") {
        fits += 2000;
        assert.ok(fits < 100_000, "there is no end to it");
        continue;
      }
      assert.equal(task.error?.code, "database_size_limit_reached");
      assert.match(task.error.message, /more memory than the 1.5 MB of `--memory-budget`: delete/);
      break;
    }
    const found = () => server.request<Found>("POST", "/indexes/large/search", { q: "word", limit: 0 });
    assert.ok(fits > 0);
    const { numberOfDocuments } = (await server.request<{ numberOfDocuments: number }>("GET", "/indexes/large/stats"))
      .body;
    assert.equal(numberOfDocuments, fits);
    const before = (await found()).body.estimatedTotalHits;
    assert.equal((await server.write("POST", "/indexes/small/documents", documents(5, 1))).status, "succeeded");
    assert.equal(await server.stop(), 0);

    server = await start("--memory-budget", "100KB");
    const refused = await found();
    assert.equal(refused.status, 500);
    assert.match(refused.body.message ?? "", /more memory than the 100 kB of `--memory-budget`/);
    assert.doesNotMatch(server.output + JSON.stringify(refused.body), /damaged/);
    const small = await server.request<{ total: number }>("GET", "/indexes/small/documents");
    assert.equal(small.body.total, 6);
    assert.equal(await server.stop(), 0);

    server = await start();
    assert.equal((await found()).body.estimatedTotalHits, before);
    assert.equal((await server.write("POST", "/indexes/large/documents", documents(fits, 2000))).status, "succeeded");
  } finally {
    await server.dispose();
  }
});

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("data, dumps and snapshots are for the user of the server alone", { timeout: 180_000 }, async () => {
  const directory = temporaryDirectory();
  mkdirSync(path.join(directory, "db"));
  chmodSync(path.join(directory, "db"), 0o755);
  const before = process.umask(0o022);
  const server = await TestServer.start({ directory });
  process.umask(before);
  await server.write("POST", "/indexes/books/documents", [{ id: 1, text: "x".repeat(300_000) }]);
  for (const route of ["/dumps", "/snapshots"]) assert.equal((await server.write("POST", route)).status, "succeeded");
  const seen = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const open = seen.filter((name) => (statSync(path.join(directory, name)).mode & 0o077) !== 0);
  assert.deepEqual(open, []);
  for (const kind of [/\.seg$/, /data\.mdb$/, /\.dump$/, /\.snapshot$/]) {
    assert.ok(
      seen.some((name) => kind.test(name)),
      String(kind),
    );
  }
  await server.dispose();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

interface Hits {
  hits: Record<string, unknown>[];
}

/** Enough that it is opened after the small ones, and takes a moment: words of its own for every document. */
function manyDocuments(): Record<string, unknown>[] {
  const word = (n: number): string => `k${((n * 2654435761) >>> 0).toString(36)}`;
  return Array.from({ length: 40_000 }, (_, id) => ({
    id,
    text: Array.from({ length: 30 }, (_, place) => word(id * 30 + place)).join(" "),
  }));
}

test("whatever is asked while indexes are being opened is answered as if all were open", {
  timeout: 300_000,
}, async () => {
  // Made before anybody connects: on a busy machine it may take longer than an idle connection is kept.
  const documents = [...manyDocuments(), { id: 40_000, text: "unmistakable" }];
  const directory = temporaryDirectory();
  const first = await TestServer.start({ directory });
  await first.request("PATCH", "/experimental-features", { foreignKeys: true });
  // On a busy machine a search may be cut off, and its answer says so.
  for (const uid of ["large", "small", "linked"]) {
    await first.write("PUT", `/indexes/${uid}/settings/search-cutoff-ms`, "60000");
  }
  await first.write("POST", "/indexes/large/documents", documents);
  await first.write("POST", "/indexes/small/documents", [{ id: 1, text: "unmistakable", of: [40_000] }]);
  await first.write("PATCH", "/indexes/linked/settings", {
    foreignKeys: [{ foreignIndexUid: "large", fieldName: "of" }],
  });
  await first.write("POST", "/indexes/linked/documents", [{ id: 1, text: "unmistakable", of: [40_000] }]);
  const ask = async (server: TestServer): Promise<unknown> => {
    const q = { q: "unmistakable" };
    const found = await Promise.all([
      ...["small", "large", "linked"].map((uid) => server.request<Hits>("POST", `/indexes/${uid}/search`, q)),
      server.request<Hits>("GET", "/indexes/large/search?q=unmistakable"),
      server.request<Hits>("GET", "/indexes/large/documents?limit=1"),
      server.request("POST", "/indexes/missing/search", q),
      server.request("GET", "/indexes?limit=100"),
      server.request<{ results: Hits[] }>("POST", "/multi-search", {
        queries: ["large", "small"].map((indexUid) => ({ indexUid, ...q })),
      }),
    ]);
    return found.map(({ status, body }) => [status, withoutTimes(body)]);
  };
  const expected = await ask(first);
  const linked = (expected as [number, Hits][])[2]![1].hits[0]!;
  assert.deepEqual(linked["of"], [{ id: 40_000, text: "unmistakable" }], "documents of the other index are shown");
  assert.equal(await first.stop(), 0);
  const second = await TestServer.start({ directory });
  assert.deepEqual(await ask(second), expected);
  assert.equal(await second.stop(), 0);
});

function withoutTimes(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value) => (["processingTimeMs", "requestUid"].includes(key) ? undefined : value)),
  );
}

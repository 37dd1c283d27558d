import assert from "node:assert/strict";
import test from "node:test";
import { defaultFeatures } from "../../../src/base/contract/features.ts";
import { parseMultiSearch } from "../../../src/base/contract/multi-search.ts";
import { windowOf } from "../../../src/base/contract/window.ts";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { limits } from "../../../src/base/limits.ts";
import { clockMs } from "../../../src/base/time/clock.ts";
import { SearchClock } from "../../../src/engine/reader/clock.ts";
import { runMultiSearch } from "../../../src/engine/reader/multi-search.ts";
import { searchKind } from "../../../src/engine/reader/search-kind.ts";

const CALL = { arrivedAt: clockMs(), dropAfterMs: 60_000, requestUid: "", includeMetadata: false, coding: null };

const refusedWith = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test("the time a search may take counts from its arrival, not from its turn", () => {
  const arrivedAt = clockMs() - 400;
  const arrived = performance.now() - 400;
  const clock = new SearchClock({ arrivedAt, dropAfterMs: 60_000 });
  const took = performance.now() - 400 - arrived;
  for (const cutoffMs of [1000, null]) {
    const late = clock.deadline(cutoffMs) - (cutoffMs ?? limits.searchCutoffMs) - arrived;
    assert.ok(Math.abs(late) <= took + 1, `${late} ms, made within ${took} ms`);
  }
  assert.ok(clock.waitedMs >= 400, String(clock.waitedMs));
  const before = performance.now();
  const next = clock.again();
  assert.ok(Math.abs(next.waitedMs - clock.waitedMs) <= performance.now() - before + 1);
});

test("a search that waited too long is not run", () => {
  const late = { arrivedAt: clockMs() - 1500, dropAfterMs: 1000 };
  assert.throws(() => new SearchClock(late), refusedWith("too_many_search_requests"));
});

test("steps of the same name add up", () => {
  const clock = new SearchClock(CALL);
  assert.equal(
    clock.step("filter", () => 7),
    7,
  );
  assert.throws(() => clock.step("rank", () => JSON.parse("{")));
  assert.deepEqual(Object.keys(clock.details()), ["wait for a reader", "filter", "rank", "search"]);
  for (const duration of Object.values(clock.details())) assert.match(String(duration), /^\d+\.\d\d(?:s|ms|µs)$/);
});

test("what nobody waits for any more is not worked on", async () => {
  for (const federation of [null, {}]) {
    const parsed = parseMultiSearch({ queries: [{ indexUid: "films" }], federation }, defaultFeatures());
    const context = {
      canceled: () => true,
      countDegraded: () => assert.fail("nothing was searched"),
      snapshot: () => assert.fail("no index was looked up"),
    };
    await assert.rejects(
      runMultiSearch({ ...parsed, origin: null, isShare: false, call: CALL }, context),
      refusedWith("bad_request"),
    );
  }
});

test("pages and offsets are windows on one list", () => {
  const query = { offset: 5, limit: 7, page: null, hitsPerPage: null };
  assert.deepEqual(windowOf(query), { offset: 5, limit: 7, exhaustive: false });
  assert.deepEqual(windowOf({ ...query, page: 3 }), { offset: 40, limit: 20, exhaustive: true });
  assert.deepEqual(windowOf({ ...query, hitsPerPage: 4 }), { offset: 0, limit: 4, exhaustive: true });
  assert.deepEqual(windowOf({ ...query, page: 0, hitsPerPage: 4 }), { offset: 0, limit: 0, exhaustive: true });
});

test("the kind of a search follows from what it gives, in a fixed order", () => {
  const settings = { embedders: { known: { source: "userProvided", dimensions: 2 } } };
  const query = { q: "words", vector: null, media: null, hybrid: null };
  const hybrid = (semanticRatio: number, embedder = "known") => ({ embedder, semanticRatio });
  assert.equal(searchKind(query, settings), "keyword");
  assert.equal(searchKind({ ...query, hybrid: hybrid(0, "unknown") }, settings), "keyword");
  assert.equal(searchKind({ ...query, q: " ", hybrid: hybrid(1, "unknown") }, settings), "keyword");
  assert.equal(searchKind({ ...query, hybrid: hybrid(1) }, settings), "semantic");
  assert.equal(searchKind({ ...query, hybrid: hybrid(0.5) }, settings), "hybrid");
  assert.equal(searchKind({ ...query, q: null, vector: [1, 2], hybrid: hybrid(0.5) }, settings), "semantic");
  const refused = (changes: Partial<Parameters<typeof searchKind>[0]>, code: string) =>
    assert.throws(() => searchKind({ ...query, ...changes }, settings), refusedWith(code));
  refused({ vector: [1, 2] }, "missing_search_hybrid");
  refused({ media: {}, vector: [1], hybrid: hybrid(0) }, "invalid_search_media_and_vector");
  refused({ hybrid: hybrid(0.5, "unknown") }, "invalid_search_embedder");
  refused({ vector: [1], hybrid: hybrid(0.5) }, "invalid_vector_dimensions");
});

import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import test, { type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { parseSearch } from "../../../src/base/contract/search.ts";
import { clockMs } from "../../../src/base/time/clock.ts";
import { handlers } from "../../../src/engine/reader/handlers.ts";
import { ReaderPool } from "../../../src/engine/reader/pool.ts";
import type { Handler, Handlers, Reply } from "../../../src/engine/reader/task.ts";
import { warmupRounds } from "../../../src/engine/reader/warmup/rounds.ts";
import { Warmup } from "../../../src/engine/reader/warmup.ts";
import { collectGarbage } from "../../../src/storage/memory/garbage.ts";
import { until } from "../../lib/patience.ts";
import { builtThread } from "../../lib/thread-bundle.ts";
import { Library } from "../../storage/memory/library.ts";

const BALLAST_BYTES = 256 * 1024 * 1024;
/** In the time that they take with their pauses a warm-up begins, and most of it is done. */
const SEARCHES = 40;
const PAUSE_MS = 60;
/** A step of a warm-up with what is compiled beside it; the whole takes 2,500. */
const STEP_MS_MAX = 500;
const FILES = `sabre-warmup-${process.pid}-`;
const nobodyAsks = (): number => 0;

/** The same handlers, which tell what they were asked and what they answered. */
function overheard(hear: (kind: string, reply: Reply, ...asked: Parameters<Handler<"search">>) => void): Handlers {
  const listening = Object.entries(handlers).map(([kind, handler]) => [
    kind,
    async (...asked: Parameters<Handler<"search">>) => {
      const reply = await (handler as Handler<"search">)(...asked);
      hear(kind, reply, ...asked);
      return reply;
    },
  ]);
  return Object.fromEntries(listening);
}

function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function openFiles(): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

/** All there are, each when its time has come. */
async function stepsOf(warmup: Warmup): Promise<number> {
  let steps = 1;
  for (; await warmup.step(); steps++) await pause(warmup.pauseMs);
  return steps;
}

const leftFolders = (): string[] =>
  ["/dev/shm", tmpdir()]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).filter((name) => name.startsWith(FILES)));

test("every sort of request finds something, and nothing is kept in the end", async () => {
  const kinds = new Map<string, number>();
  const kept: WeakRef<object>[] = [];
  let hits = 0;
  let lastRequests = 0;
  let rounds = 0;
  const steps = warmupRounds(
    overheard((kind, { status, body, coding }, { indexUid }, _payload, context) => {
      assert.equal(status, 200);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const view = context.snapshot().index(indexUid ?? "one") ?? context.snapshot().index("several")!;
      if (view.segments.length === 0) lastRequests++;
      else
        kept.push(new WeakRef(view.segments[0]!.reader), new WeakRef(view.segments[0]!.reader.home.workspace.memory));
      if (kind !== "search" || coding === "gzip") return;
      hits += (JSON.parse(Buffer.from(body).toString()) as { hits: unknown[] }).hits.length;
    }),
  );
  while (rounds < 2) if ((await steps.next()).value === true) rounds++;
  assert.ok(openFiles().some((file) => file.includes(FILES)) || !existsSync("/proc/self/fd"));
  await steps.return();
  assert.equal((await steps.next()).done, true);

  assert.deepEqual([...kinds.keys()].sort(), ["documents.get", "facetSearch", "multiSearch", "search"]);
  assert.ok(hits > 10 * rounds, String(hits));
  assert.equal(lastRequests, 2);
  assert.deepEqual(leftFolders(), []);
  assert.deepEqual(
    openFiles().filter((file) => file.includes(FILES)),
    [],
  );
  assert.ok(kept.length > 0);
  await until(
    async () => {
      await collectGarbage();
      return kept.every((object) => object.deref() === undefined);
    },
    () => "nothing holds what the warm-up used",
  );
});

test("a warm-up ends by itself, in small steps", async () => {
  const warmup = new Warmup(handlers, 0, nobodyAsks);
  assert.ok(warmup.pauseMs > 100);
  assert.ok(new Warmup(handlers, 3, nobodyAsks).pauseMs > warmup.pauseMs);
  const steps = await stepsOf(warmup);
  assert.ok(steps > 5, String(steps));
});

test("a warm-up that cannot go on is over", async () => {
  const failing = overheard(() => assert.fail("out of luck"));
  const warmup = new Warmup(failing, 0, nobodyAsks);
  await stepsOf(warmup);
});

/** A reader that means to warm up, and an index. */
async function served(t: TestContext): Promise<{ library: Library; pool: ReaderPool; search(): Promise<unknown> }> {
  const library: Library = new Library((id, memory) => pool.addArena(id, memory));
  const { control, databasePath } = library;
  const thread = builtThread("reader-thread");
  const pool: ReaderPool = new ReaderPool({ control, databasePath, readers: 1, warmUp: true, thread });
  pool.start();
  t.after(() => pool.stop());
  const entry = library.segment("1", 0, ["a", "b", "c"], 3);
  const manifest = library.manifest("1", [entry]);
  // The thread may take longer to start than a search may take by default.
  manifest.settings.searchCutoffMs = 60_000;
  await library.publisher.publish({ put: [{ uid: "one", manifest }] });
  const search = async (): Promise<unknown> => {
    const query = parseSearch({ q: "b", attributesToHighlight: ["*"], showRankingScore: true });
    const call = { arrivedAt: clockMs(), dropAfterMs: 60_000, requestUid: "", includeMetadata: false, coding: null };
    const { status, body } = await pool.request("search", { indexUid: "one", query, call });
    assert.equal(status, 200);
    return { ...(JSON.parse(Buffer.from(body).toString()) as object), processingTimeMs: 0 };
  };
  return { library, pool, search };
}

test("readers that warm up answer real requests at once and as ever", { timeout: 180_000 }, async (t) => {
  const { pool, search } = await served(t);
  const expected = await search();
  // In work, since a busy machine makes everybody wait: what all threads do between question and answer.
  let longest = 0;
  for (let i = 0; i < SEARCHES; i++) {
    const before = workedMs();
    assert.deepEqual(await search(), expected);
    longest = Math.max(longest, workedMs() - before);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  assert.ok(longest < STEP_MS_MAX, `a search waited for ${longest} ms of work`);
  assert.equal(pool.degraded, 0);
  assert.equal(pool.pending, 0);
});

test("a reader that finds no quiet moment to warm up lets go of memory all the same", {
  timeout: 180_000,
  skip: process.platform !== "linux" && "elsewhere memory that was given back is still counted",
}, async (t) => {
  const { library, pool, search } = await served(t);
  const { publisher, arenas } = library;
  const busy = setInterval(() => {
    for (const end = performance.now() + 15; performance.now() < end; );
  }, 20);
  t.after(() => clearInterval(busy));
  const ballast = arenas.allocate(BALLAST_BYTES);
  arenas.bytes(ballast).fill(1);
  await search();
  const before = process.memoryUsage.rss();
  arenas.free(ballast);
  await publisher.evacuate(1);
  pool.dropArena(0);
  await until(
    async () => {
      publisher.collect();
      await collectGarbage();
      return process.memoryUsage.rss() < before - BALLAST_BYTES * 0.8;
    },
    () => "the memory of the arena goes back",
  );
  await search();
});

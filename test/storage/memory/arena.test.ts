import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { ArenaSet } from "../../../src/storage/memory/arena-set.ts";
import { ArenaViews } from "../../../src/storage/memory/arena-views.ts";
import type { BlockPointer } from "../../../src/storage/memory/control.ts";

const MIB = 1024 * 1024;

function setOf(arenaBytesMax: number): { arenas: ArenaSet; memories: Map<number, WebAssembly.Memory> } {
  const memories = new Map<number, WebAssembly.Memory>();
  const host = {
    announce: async (id: number, memory: WebAssembly.Memory) => void memories.set(id, memory),
    dismiss: (id: number) => void memories.delete(id),
  };
  return { arenas: new ArenaSet(host, arenaBytesMax), memories };
}

test("blocks that do not fit one arena go into the next", async () => {
  const { arenas, memories } = setOf(2 * MIB);
  const blocks = [1, 1, 1].map(() => arenas.allocate(1.2 * MIB));
  await arenas.announced();
  assert.deepEqual(
    blocks.map(({ arena }) => arena),
    [0, 1, 2],
  );
  assert.deepEqual([...memories.keys()], [0, 1, 2]);
  assert.throws(() => arenas.allocate(3 * MIB), { code: "database_size_limit_reached" });
});

test("a reader sees blocks written after it got the memory, also beyond its size then", async () => {
  const { arenas, memories } = setOf(200 * MIB);
  const first = arenas.allocate(100);
  await arenas.announced();
  const views = new ArenaViews();
  views.add(0, memories.get(0)!);
  arenas.bytes(first).fill(7);
  assert.deepEqual(views.bytes(first), new Uint8Array(100).fill(7));
  const second = arenas.allocate(100 * MIB);
  arenas.bytes(second).fill(9, 100 * MIB - 4);
  assert.equal(views.bytes(second).at(-1), 9);
});

test("growth in one thread is seen by another that is in the middle of its work", async () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1000, shared: true });
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const views = new ArenaViews();
  views.add(0, memory);
  const code = `const { workerData: { memory, flag } } = require("node:worker_threads");
    memory.grow(100);
    new Uint8Array(memory.buffer)[6000000] = 42;
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);`;
  const worker = new Worker(code, { eval: true, workerData: { memory, flag } });
  // Blocks this thread, so that it cannot be told of the growth in between.
  Atomics.wait(flag, 0, 0, 10_000);
  assert.equal(views.bytes({ arena: 0, offset: 6_000_000 - (6_000_000 % 64), length: 64 })[6_000_000 % 64], 42);
  await worker.terminate();
});

test("unknown arenas are fetched from the port without waiting, unlisted ones forgotten", () => {
  const { port1, port2 } = new MessageChannel();
  const views: ArenaViews = new ArenaViews(() => {
    for (let got = receiveMessageOnPort(port2); got !== undefined; got = receiveMessageOnPort(port2)) {
      views.add(got.message.id, got.message.memory);
    }
  });
  const memory = () => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const block = (arena: number): BlockPointer => ({ arena, offset: 64, length: 64 });
  assert.throws(() => views.bytes(block(0)), RangeError);
  for (const id of [0, 1, 2]) port1.postMessage({ id, memory: memory() });
  assert.equal(views.bytes(block(1)).length, 64);
  assert.equal(views.hasOther(new Set([0, 1]), 2), false);
  assert.equal(views.hasOther(new Set([1]), 2), true);
  views.keepOnly(new Set([1]), 2);
  assert.throws(() => views.bytes(block(0)), RangeError);
  assert.equal(views.bytes(block(2)).length, 64, "handed over ahead of the directory that names it");
  port1.close();
});

test("an arena of which more than a quarter is empty is sealed, and dropped with its last block", async () => {
  const { arenas, memories } = setOf(200 * MIB);
  const blocks = [1, 2, 3, 4, 5].map(() => arenas.allocate(20 * MIB));
  await arenas.announced();
  assert.equal(arenas.evacuation(), null);
  arenas.free(blocks[0]!);
  assert.equal(arenas.evacuation(), null);
  arenas.free(blocks[1]!);
  assert.equal(arenas.evacuation(), 0);
  assert.equal(arenas.allocate(100).arena, 1, "nothing new in a sealed arena");
  for (const block of blocks.slice(2)) arenas.free(block);
  assert.deepEqual([...memories.keys()], [1]);
  assert.deepEqual(arenas.ids(), [1]);
});

test("a new writer takes over the live blocks and reuses the rest", async () => {
  const { arenas, memories } = setOf(8 * MIB);
  const [a, b, c] = [1, 2, 3].map(() => arenas.allocate(MIB));
  await arenas.announced();
  const heir = new ArenaSet({ announce: async () => {}, dismiss: () => {} }, 8 * MIB);
  heir.adopt(memories, [a!, c!]);
  assert.deepEqual(heir.allocate(MIB), b);
  assert.equal(heir.liveBytes, 3 * MIB);
});

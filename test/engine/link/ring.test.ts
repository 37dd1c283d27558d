import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import { WakeFlag } from "../../../src/engine/link/answers.ts";
import { IdleReaders } from "../../../src/engine/link/idle-readers.ts";
import { decodeAnswer } from "../../../src/engine/link/requests.ts";
import { ByteRing } from "../../../src/engine/link/ring.ts";

/** Bytes of a ring that records take: each eight in front, and all of that up to a multiple of eight. */
function takenBy(records: readonly Buffer[]): number {
  return records.reduce((sum, { length }) => sum + Math.ceil((length + 8) / 8) * 8, 0);
}

test("what is pushed is taken, in order, whatever the sizes", () => {
  const sizes = fc.array(fc.tuple(fc.nat(40), fc.nat(40), fc.boolean()), { maxLength: 200 });
  fc.assert(
    fc.property(sizes, (list) => {
      const ring = ByteRing.create(128);
      const queued: Buffer[] = [];
      let next = 0;
      for (const [first, second, takeOne] of list) {
        const bytes = Buffer.alloc(first + second, next++ & 255);
        if (ring.push(bytes.subarray(0, first), bytes.subarray(first))) queued.push(bytes);
        else assert.ok(takenBy([...queued, bytes]) > 128);
        if (takeOne) assert.deepEqual(ring.take(), queued.shift() ?? null);
      }
      for (const bytes of queued) assert.deepEqual(ring.take(), bytes);
      assert.equal(ring.take(), null);
    }),
  );
});

test("a record as long as the ring fits, a longer one never does", () => {
  const ring = ByteRing.create(64);
  assert.equal(ring.push(new Uint8Array(ring.recordBytesMax), null), true);
  assert.equal(ring.push(new Uint8Array(0), null), false);
  assert.equal(ring.take()?.length, ring.recordBytesMax);
  assert.equal(ring.push(new Uint8Array(ring.recordBytesMax + 1), null), false);
});

/** Threads, operations, bytes of the request ring and of each answer ring, requests under way at once. */
const stresses = [
  { threads: 1, operations: 8000, requestBytes: 256, answerBytes: 256, underWay: 1 },
  { threads: 4, operations: 10_000, requestBytes: 512, answerBytes: 256, underWay: 3 },
  { threads: 3, operations: 30_000, requestBytes: 4096, answerBytes: 1024, underWay: 64 },
];

for (const stress of stresses) {
  const name = `${stress.operations} requests over ${stress.threads} threads, ${stress.underWay} at once: none lost, none stuck`;
  test(name, { timeout: 180_000 }, async () => {
    const requests = ByteRing.create(stress.requestBytes);
    const wakeFlag = new WakeFlag();
    const idleReaders = IdleReaders.create(stress.threads);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const rings = Array.from({ length: stress.threads }, () => ByteRing.create(stress.answerBytes));
    const thread = threadFile(import.meta.url, "./ring-thread");
    const workers = rings.map(
      (ring, number) =>
        new Worker(thread.filename, {
          execArgv: thread.execArgv,
          workerData: {
            thread: number,
            requests: requests.buffer,
            idleReaders: idleReaders.buffer,
            answers: ring.buffer,
            wakeFlag: wakeFlag.buffer,
            stop: stop.buffer,
          },
        }),
    );

    const expected = new Map<number, number>();
    const received = new Map<number, number>();
    let sent = 0;
    let answered = 0;
    let wrong = 0;
    let seed = 12345;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    const sendMore = (): void => {
      while (sent < stress.operations && sent - answered < stress.underWay) {
        const id = sent + 1;
        const record = Buffer.alloc(8 + random(90));
        const answerBytes = random(20) === 0 ? random(900) : random(60);
        record.writeUInt32LE(id, 0);
        record.writeUInt32LE(answerBytes, 4);
        for (let i = 8; i < record.length; i++) record[i] = (id + i) & 255;
        if (!requests.push(record.subarray(0, 8), record.subarray(8))) return;
        expected.set(id, answerBytes + 1);
        sent++;
        idleReaders.wakeOne();
      }
    };
    const drain = (): void => {
      wakeFlag.silence();
      for (const ring of rings) {
        let took = false;
        for (let bytes = ring.take(); bytes !== null; bytes = ring.take()) {
          took = true;
          const answer = decodeAnswer(bytes);
          const before = received.get(answer.id) ?? 0;
          if (before === 0 && answer.piece[0] !== 1) wrong++;
          if (answer.more) {
            received.set(answer.id, before + answer.piece.length);
            continue;
          }
          if (expected.get(answer.id) !== before + answer.piece.length) wrong++;
          expected.delete(answer.id);
          received.delete(answer.id);
          answered++;
        }
        if (took) ring.signalDrained();
      }
      sendMore();
    };
    await new Promise<void>((resolve) => {
      for (const worker of workers) {
        worker.on("message", () => {
          drain();
          if (answered === stress.operations) resolve();
        });
      }
      sendMore();
    });
    assert.equal(wrong, 0);
    assert.equal(expected.size, 0);
    Atomics.store(stop, 0, 1);
    idleReaders.wakeAll();
    await Promise.all(workers.map((worker) => once(worker, "exit")));
  });
}

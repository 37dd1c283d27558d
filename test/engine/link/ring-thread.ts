/** One taking thread of the ring stress: sums what it takes and reports through its own answer ring and the wake flag. */
import { parentPort, workerData } from "node:worker_threads";
import { AnswerWriter, WakeFlag } from "../../../src/engine/link/answers.ts";
import { IdleReaders } from "../../../src/engine/link/idle-readers.ts";
import { ByteRing } from "../../../src/engine/link/ring.ts";

const requests = new ByteRing(workerData.requests);
const answers = new AnswerWriter(new ByteRing(workerData.answers), new WakeFlag(workerData.wakeFlag), () =>
  parentPort!.postMessage(0),
);
const idleReaders = new IdleReaders(workerData.idleReaders);
const stop = new Int32Array(workerData.stop);

while (Atomics.load(stop, 0) === 0) {
  let record = requests.take();
  if (record === null) {
    idleReaders.markIdle(workerData.thread);
    record = requests.take();
    if (record === null) {
      // Long enough that a lost wake-up shows as a stall.
      if (Atomics.load(stop, 0) === 0) idleReaders.sleep(workerData.thread, 60_000);
      continue;
    }
    idleReaders.markBusy(workerData.thread);
  }
  const id = record.readUInt32LE(0);
  const answerBytes = record.readUInt32LE(4);
  let intact = 1;
  for (let i = 8; i < record.length; i++) if (record[i] !== ((id + i) & 255)) intact = 0;
  const body = Buffer.alloc(answerBytes + 1, id & 255);
  body[0] = intact;
  answers.write(id, { status: 200, contentType: "application/json" }, body);
}

/** Writes tasks as fast as it can and prints each uid once its write has resolved, until it is killed. */
import { openStore } from "../../../src/storage/store/store.ts";
import { documentTask } from "../tasks/samples.ts";

const store = openStore(process.argv[2]!);
let next = 0;
const client = async () => {
  while (true) {
    const uid = next++;
    await store.write(() => {
      store.tasks.put(uid, documentTask(uid));
      store.pending.put(uid, true);
      store.payloads.put(String(uid), Buffer.alloc(500, uid & 255));
    });
    process.stdout.write(`${uid}\n`);
  }
};
for (let i = 0; i < 16; i++) void client();

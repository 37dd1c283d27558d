/** Another process that writes to a store, as if nobody else had it. */
import { openStore } from "../../../src/storage/store/store.ts";

const store = openStore(process.argv[2]!);
await store.write(() => store.meta.put("theirs", 1));
await store.close();

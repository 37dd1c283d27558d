/** Locks the database directory it is given, says so, and holds it until it is killed. */
import { lockDatabase } from "../../../src/server/start/lock.ts";

lockDatabase(process.argv[2]!);
// Nobody here keeps what it gave.
globalThis.gc?.();
await new Promise((resume) => setTimeout(resume, 50));
globalThis.gc?.();
process.stdout.write("locked\n");
setInterval(() => {}, 60_000);

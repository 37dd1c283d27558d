/** `dump` and `snapshot`: have the running server write one, and wait until it is there. */
import { type Usage, withServer } from "./arguments.ts";
import { finished } from "./task-events.ts";
import { type ClientCommand, say } from "./terminal.ts";

const DUMP: Usage = {
  line: "dump [OPTIONS]",
  does: "Has the server write a dump into its directory of dumps (--dump-dir), which any later version can read.",
};
const SNAPSHOT: Usage = {
  line: "snapshot [OPTIONS]",
  does: "Has the server write a snapshot into its directory of snapshots (--snapshot-dir) or its store: quick to start from.",
};

function backup(usage: Usage, path: string, what: string): ClientCommand {
  return (args, terminal) =>
    withServer(args, usage, terminal, async (_given, connection) => {
      const { uid, details } = await finished(connection, "POST", path);
      const name = details?.["dumpUid"];
      say(terminal.output, name === undefined ? `${what} written (task ${uid})` : `${String(name)}.dump`);
      return 0;
    });
}

export const dump = backup(DUMP, "/dumps", "dump");
export const snapshot = backup(SNAPSHOT, "/snapshots", "snapshot");

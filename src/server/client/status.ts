/** `status`: what the server holds and does, at a glance. */
import { type Usage, withServer } from "./arguments.ts";
import { bytesText, countText, numberOf } from "./progress-line.ts";
import { tableText } from "./table.ts";
import { coloursOf, say, type Terminal } from "./terminal.ts";

const USAGE: Usage = {
  line: "status [OPTIONS]",
  does: "Shows whether the server is well, its version, its indexes, and the tasks that are waiting.",
};

interface Stats {
  databaseSize: number;
  lastUpdate: string | null;
  indexes: Record<string, { numberOfDocuments: number; isIndexing: boolean; rawDocumentDbSize?: number }>;
}

export function status(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (_given, connection) => {
    const health = await connection.json<{ status: string }>("GET", "/health");
    const { pkgVersion } = await connection.json<{ pkgVersion: string }>("GET", "/version");
    const stats = await connection.json<Stats>("GET", "/stats");
    const waiting = await connection.json<{ total: number }>("GET", "/tasks?limit=1&statuses=enqueued,processing");
    const failed = await connection.json<{ total: number }>("GET", "/tasks?limit=1&statuses=failed");
    const { bold } = coloursOf(terminal.output, terminal.env);
    say(terminal.output, `${bold(connection.base.origin)} is ${health.status}, interface ${pkgVersion}`);
    const size = bytesText(stats.databaseSize);
    say(terminal.output, `${size} on disk, ${numberOf(waiting.total, "task")} waiting, ${failed.total} failed\n`);
    const rows = Object.entries(stats.indexes).map(([uid, index]) => [
      uid,
      countText(index.numberOfDocuments),
      bytesText(index.rawDocumentDbSize ?? 0),
      index.isIndexing ? "indexing" : "",
    ]);
    terminal.output.write(tableText(["index", "documents", "size", ""], rows, terminal));
    return 0;
  });
}

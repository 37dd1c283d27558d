/** `backups`: the checkpoints of a cluster that a server can be restored from. */
import { hideSecretArguments } from "../options/secret-arguments.ts";
import { packageVersion } from "../options/version.ts";
import { backupPlace } from "./backup-place.ts";

const HELP = [
  "Usage: sabre backups --from PLACE [OPTIONS OF THE STORE]",
  "",
  "Lists the checkpoints of a cluster, the last one first: when each was made, and how many changes it holds. PLACE is what the",
  "servers have as --cluster-blobs: s3://bucket/prefix, or file: and a directory.",
].join("\n");

export async function backups(args: readonly string[]): Promise<number> {
  const place = backupPlace(args, packageVersion(), HELP);
  if (place === null) return 0;
  hideSecretArguments(process);
  const { listBackups } = await import("../start/assemble.ts");
  for (const { number, putAtMs } of await listBackups(place.blobs)) {
    process.stdout.write(`${new Date(putAtMs).toISOString()}  ${number} changes\n`);
  }
  return 0;
}

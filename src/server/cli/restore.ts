/**
 * `restore`: makes the data of a server from a dump or a snapshot, and ends. What the server does at its start with
 * `--import-dump`, without serving afterwards.
 */

import { Log } from "../../base/log/log.ts";
import { shareDictionaries } from "../../base/text/dictionary-memory.ts";
import { prepareWriter } from "../front/writer-thread.ts";
import { OptionError, readOptions } from "../options/options.ts";
import { hideSecretArguments } from "../options/secret-arguments.ts";
import { packageVersion } from "../options/version.ts";
import { backupPlace } from "./backup-place.ts";

const HELP = [
  "Usage: sabre restore FILE [OPTIONS OF THE SERVER]",
  "       sabre restore --from PLACE[@TIME] [OPTIONS OF THE SERVER]",
  "",
  "Makes a new directory of data (--db-path) from a dump (FILE.dump) or a snapshot (FILE.snapshot), and ends. No server may",
  "use that directory meanwhile. `serve --import-dump FILE` starts a server with it right away.",
  "",
  "With --from, from a checkpoint of a cluster: PLACE is its --cluster-blobs (s3://bucket/prefix, or file: and a directory), TIME",
  "such as 2026-03-01T12:00:00Z takes the last one until then. `backups --from PLACE` lists them. The data serves on its own, or",
  "begins a new cluster.",
].join("\n");

export async function restore(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === "--from") return restoreCheckpoint(args);
  const version = packageVersion();
  const isHelp = file === undefined || file.startsWith("-");
  const given = isHelp ? args : [file.endsWith(".snapshot") ? "--import-snapshot" : "--import-dump", file, ...rest];
  const startup = readOptions(given, process.env, version, { starts: !isHelp, help: () => HELP });
  if (startup.kind === "print") {
    process.stdout.write(`${startup.text}\n`);
    return 0;
  }
  if (isHelp) throw new OptionError("the file to restore is missing; see --help");
  const { options } = startup;
  hideSecretArguments(process);
  const log = new Log(options.logLevel, options.logsMode);
  log.secrets.add(options.masterKey);
  shareDictionaries();
  const writer = prepareWriter();
  const { assemble } = await import("../start/assemble.ts");
  const server = await assemble(options, version, log, writer);
  await server.stop();
  process.stdout.write(`${options.dbPath} holds what was in ${file}\n`);
  return 0;
}

async function restoreCheckpoint(args: readonly string[]): Promise<number> {
  const version = packageVersion();
  const place = backupPlace(args, version, HELP);
  if (place === null) return 0;
  hideSecretArguments(process);
  const { restoreFrom } = await import("../start/assemble.ts");
  const { dbPath } = place.options;
  const { number, putAtMs } = await restoreFrom(place, dbPath, version);
  const at = new Date(putAtMs).toISOString();
  process.stdout.write(`${dbPath} holds the checkpoint of ${at}, after ${number} changes\n`);
  return 0;
}

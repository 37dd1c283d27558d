/** `--from PLACE[@TIME]`: where the checkpoints of a cluster are, written as for `--cluster-blobs`, and which time is meant. */
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import { OptionError, type Options, readOptions } from "../options/options.ts";

interface BackupPlace {
  blobs: BlobsPlace;
  /** Null for the last one. */
  atMs: number | null;
  options: Options;
}

/** Null when only help was asked for, which is printed. */
export function backupPlace(args: readonly string[], version: string, help: string): BackupPlace | null {
  const [option, place = "", ...rest] = args;
  const isGiven = option === "--from" && place !== "";
  const [, before = "", time = ""] = /^(.*)@([^@/]+)$/.exec(place) ?? [];
  const atMs = Date.parse(time);
  const isTimed = !Number.isNaN(atMs);
  // Anything else may be part of a name.
  if (!isTimed && /^\d{4}-/.test(time)) throw new OptionError(`${time} is no time, such as 2026-03-01T12:00:00Z`);
  // The place is read as that of the files of a cluster; where its servers meet does not matter.
  const asCluster = ["--cluster", "file:nowhere", "--cluster-blobs", isTimed ? before : place];
  const given = isGiven ? [...asCluster, ...rest] : args;
  const startup = readOptions(given, process.env, version, { starts: false, help: () => help });
  if (startup.kind === "print") {
    process.stdout.write(`${startup.text}\n`);
    return null;
  }
  if (!isGiven || startup.options.cluster === null) throw new OptionError("--from and a place are missing; see --help");
  return { blobs: startup.options.cluster.blobs, atMs: isTimed ? atMs : null, options: startup.options };
}

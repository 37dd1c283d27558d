/** Finds out which version a dump has, and who can read it. */
import { isObject } from "../../base/json/value.ts";

import { CurrentDump } from "./current.ts";
import type { DumpFolder } from "./files.ts";
import { DUMP_FILES, DUMP_VERSION } from "./layout.ts";
import { IndexListDump } from "./old/index-list.ts";
import { TaskDump } from "./old/tasks.ts";
import { UpdateDump } from "./old/updates.ts";
import { DumpProblem } from "./problem.ts";
import type { DumpSource, Warn } from "./source.ts";

export async function openDump(folder: DumpFolder, warn: Warn): Promise<DumpSource> {
  const metadata = await folder.json(DUMP_FILES.metadata);
  const version = isObject(metadata) ? metadata["dumpVersion"] : undefined;
  if (!isObject(metadata) || version === undefined) {
    throw new DumpProblem("it is no dump: it does not say which version it has");
  }
  if (version === "V1") return new IndexListDump(folder, metadata, warn);
  if (version === "V2" || version === "V3") return new UpdateDump(folder, metadata, version, warn);
  if (version === "V4" || version === "V5") return new TaskDump(folder, metadata, warn);
  if (version === DUMP_VERSION) return new CurrentDump(folder, metadata);
  throw new DumpProblem(`dumps of version ${JSON.stringify(version)} cannot be loaded, only V1 to ${DUMP_VERSION}`);
}

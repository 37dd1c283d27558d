/**
 * One server a database directory. A file names the process that has it; a file left by a crash is recognised because
 * that process is gone, or is another one that got the same number.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OptionError } from "../options.ts";

const FILE_NAME = "LOCK";

/** Throws when another process holds the directory. Returns what gives it back. */
export function lockDatabase(databasePath: string): () => void {
  mkdirSync(databasePath, { recursive: true });
  const file = join(databasePath, FILE_NAME);
  const own = describe(process.pid);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, own, { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = readFileSync(file, "utf8");
    const pid = Number(holder.split(" ")[0]);
    if (pid !== process.pid && isAlive(pid) && describe(pid) === holder) {
      throw new OptionError(`the database \`${databasePath}\` is in use by process ${pid}`);
    }
    rmSync(file, { force: true });
  }
  throw new OptionError(`the database \`${databasePath}\` is being opened by another process`);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Number and, where the system tells, moment of start: numbers are given again. */
function describe(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may itself hold spaces; the start time is the 20th field after it.
    const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${pid} ${startedAt}`;
  } catch {
    return `${pid} -`;
  }
}

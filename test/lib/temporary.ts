/**
 * What tests leave behind is gone when their process ends, however it ends: the processes they started first, then the
 * folders that those wrote into.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import os from "node:os";
import path from "node:path";

const children = new Set<ChildProcess>();
const folders: string[] = [];

process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  // A process that is being killed may write a last file.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** A new folder; its name tells which test file, or the first of its folder, forgot it, should that ever happen. */
export function temporaryDirectory(): string {
  const test = path.basename(process.argv[2] ?? process.argv[1] ?? "", ".test.ts");
  const folder = mkdtempSync(path.join(os.tmpdir(), `sabre-${test}-`));
  folders.push(folder);
  return folder;
}

/** The process lives no longer than this one. */
export function endsWithTests<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Ends the processes that still run, and waits for that. */
export async function endChildren(): Promise<void> {
  const end = (child: ChildProcess): Promise<unknown> => {
    child.ref();
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    return exit;
  };
  await Promise.all([...children].map(end));
}

/** Nobody waits for it any more, until it is told to end: a test that failed half-way must come to its end, too. */
export function inBackground<Child extends ChildProcess>(child: Child): Child {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.unref();
  return endsWithTests(child);
}

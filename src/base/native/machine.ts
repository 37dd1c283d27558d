/** What decides whether compiled code runs here: the system, the processor, the C library, and Node's module version. */
import { closeSync, openSync, readSync } from "node:fs";

export interface Machine {
  os: string;
  arch: string;
  /** Null where there is no choice. */
  libc: "glibc" | "musl" | null;
  abi: number;
}

/** The name of the dynamic loader stands near the start of every program. */
const PROGRAM_HEAD_BYTES = 16 * 1024;

export function thisMachine(): Machine {
  return { os: process.platform, arch: process.arch, libc: libcFamily(), abi: Number(process.versions.modules) };
}

function libcFamily(): Machine["libc"] {
  if (process.platform !== "linux") return null;
  const head = Buffer.alloc(PROGRAM_HEAD_BYTES);
  const program = openSync(process.execPath, "r");
  try {
    readSync(program, head);
  } finally {
    closeSync(program);
  }
  return head.includes("/ld-musl-") ? "musl" : "glibc";
}

/** Null without glibc. Takes some 10 ms: for set-up, and for saying why something does not work. */
export function glibcVersion(): string | null {
  if (process.platform !== "linux") return null;
  const { report } = process as typeof process & { report: { excludeNetwork: boolean } };
  report.excludeNetwork = true;
  const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime ?? null;
}

/** Whether version `2.36` is enough where `2.34` is needed. */
export function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

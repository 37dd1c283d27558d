/**
 * Faults of the disk for servers under test: compiles the library that is preloaded into them, and tells it when which call
 * goes wrong. Needs a C compiler and Linux; where there is none, tests that want it are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../lib/temporary.ts";

const SOURCE = fileURLToPath(new URL("./shim.c", import.meta.url));
const KINDS = { open: 1, write: 2, sync: 4, entry: 8, read: 16, store: 32, meta: 64 };
const ERRORS = { short: -1, slow: -2, landed: -3 };
/** Words of the control file, in the order of `struct control`. */
const ARMED = 0;
const SEEN = 6;
const HIT = 7;
const WORDS = 8;

export type CallKind = keyof typeof KINDS;
/** `landed`: the first call is reported as `EIO` though it was done, those that follow are not done. */
export type FaultError = "ENOSPC" | "EIO" | "EMFILE" | "short" | "slow" | "landed";

export interface Fault {
  error: FaultError;
  calls: readonly CallKind[];
  /** Calls that pass first. */
  skip?: number;
  /** Calls that go wrong after them; all that follow unless it is told. */
  times?: number;
}

let library: string | null | undefined;

/** The compiled library, or null where it cannot be had. */
function shim(): string | null {
  if (library !== undefined) return library;
  library = null;
  if (process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0) {
    library = join(temporaryDirectory(), "faults.so");
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl"]);
  }
  return library;
}

export class Faults {
  /** For the environment of a server whose files lie below the directory. */
  readonly environment: Record<string, string>;
  readonly #file: number;

  private constructor(library: string, control: string, directory: string) {
    this.#file = openSync(control, "w+");
    writeSync(this.#file, Buffer.alloc(4 * WORDS));
    this.environment = { LD_PRELOAD: library, FAULTS_CONTROL: control, FAULTS_UNDER: directory };
  }

  /** Null where there is no compiler. */
  static in(directory: string): Faults | null {
    const file = shim();
    return file === null ? null : new Faults(file, join(temporaryDirectory(), "control"), directory);
  }

  arm({ error, calls, skip = 0, times = 0 }: Fault): void {
    this.disarm();
    const words = Buffer.alloc(4 * WORDS);
    words.writeUInt32LE(
      calls.reduce((sum, kind) => sum | KINDS[kind], 0),
      4,
    );
    words.writeInt32LE(error in ERRORS ? ERRORS[error as keyof typeof ERRORS] : constants.errno[error as "EIO"], 8);
    words.writeUInt32LE(skip, 12);
    words.writeUInt32LE(times, 16);
    words.writeUInt32LE(SLOW_MS, 20);
    writeSync(this.#file, words, 0, words.length, 0);
    writeSync(this.#file, Buffer.of(1, 0, 0, 0), 0, 4, ARMED);
  }

  disarm(): void {
    writeSync(this.#file, Buffer.alloc(4), 0, 4, ARMED);
  }

  /** Calls of the armed kinds so far, and those of them that went wrong. */
  counts(): { seen: number; hit: number } {
    const words = Buffer.alloc(4 * WORDS);
    readSync(this.#file, words, 0, words.length, 0);
    return { seen: words.readUInt32LE(4 * SEEN), hit: words.readUInt32LE(4 * HIT) };
  }

  close(): void {
    closeSync(this.#file);
  }
}

const SLOW_MS = 30;

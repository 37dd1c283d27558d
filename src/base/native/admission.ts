/**
 * Which compiled code may be loaded: files whose hash is pinned, what was compiled here on request, and what the operator
 * put beside the models. A file is hashed when it is new or has changed: threads start with what is known of files so far, and
 * so does the next process (`seen.ts`).
 */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import path from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { hashOfCompiled } from "./compiled.ts";
import { pins, servedName } from "./pins.ts";
import { type FileState, noteSeen, wasSeen } from "./seen.ts";

const ADMITTED_KEY = "sabre-search/admitted-addons";
const CHUNK_BYTES = 256 * 1024;

const admitted = new Set((getEnvironmentData(ADMITTED_KEY) as unknown as string[] | undefined) ?? []);
/** Of this thread: every bundle has a copy of this module, and the one that guards is that of the first. */
const TRUSTED = Symbol.for("sabre-search/trusted-folders");
const thread = globalThis as { [TRUSTED]?: string[] };
thread[TRUSTED] ??= [];
const trustedFolders = thread[TRUSTED];

/** Throws unless the file may be loaded. */
export function admit(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    const state = stateOf(file, descriptor);
    if (admitted.has(state.identity)) return;
    if (!wasSeen(state)) examine(state, hashOf(descriptor));
    admitted.add(state.identity);
    setEnvironmentData(ADMITTED_KEY, [...admitted] as never);
  } finally {
    closeSync(descriptor);
  }
}

/** From now on this thread loads what lies in the folder, unseen: the operator installed it, and answers for it. */
export function trustAddonsIn(folder: string): void {
  trustedFolders.push(realpathSync(folder) + path.sep);
}

function isTrusted(file: string): boolean {
  const real = realpathSync(file);
  return trustedFolders.some((folder) => real.startsWith(folder));
}

function examine(state: FileState, sha256: string): void {
  const { file } = state;
  if (pins.some((pin) => pin.sha256 === sha256)) noteSeen(state);
  else if (hashOfCompiled(file) !== sha256 && !isTrusted(file)) throw new Error(refusal(file, sha256));
}

function stateOf(name: string, descriptor: number): FileState {
  const file = path.resolve(name);
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = fstatSync(descriptor, { bigint: true });
  return { file, identity: [file, dev, ino, size, mtimeNs, ctimeNs].join(":"), changedAtMs: Number(ctimeMs) };
}

function hashOf(descriptor: number): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let length = readSync(descriptor, chunk); length > 0; length = readSync(descriptor, chunk)) {
    hash.update(chunk.subarray(0, length));
  }
  return hash.digest("hex");
}

function refusal(file: string, sha256: string): string {
  const pin = pins.find((known) => servedName(known) === path.basename(file));
  const expected = pin?.sha256 ?? hashOfCompiled(file);
  return expected === null
    ? `\`${file}\` is compiled code that this server does not know, and is not loaded`
    : `\`${file}\` is not what it should be, and is not loaded: its SHA-256 is ${sha256} instead of ${expected}`;
}

/**
 * Binaries whose hash was found to be pinned at an earlier start, each with what the system said of the file then: number, size
 * and times. One of which it still says the same is not hashed again: whatever is written to it changes its times, and no
 * program can set the last one of them.
 */
import path from "node:path";
import { crc32 } from "node:zlib";
import { readMadeFile, writeMadeFile } from "../files/made-files.ts";
import { addonFolder } from "./folder.ts";
import { pins } from "./pins.ts";

/** Folders of what was made here are no part of what is published. */
const LIST = path.join("made", "seen");
/** A list for other pins says nothing. */
const PINNED = crc32(JSON.stringify(pins.map(({ sha256 }) => sha256)));
/** Times of files have steps: one that has just changed might change once more and show the same. */
const SETTLED_MS = 2000;

/** By name of the file. */
type Seen = Record<string, string>;

export interface FileState {
  file: string;
  /** Other than it was whenever the file is. */
  identity: string;
  changedAtMs: number;
}

export function wasSeen({ file, identity }: FileState, folder = addonFolder): boolean {
  return path.dirname(file) === path.resolve(folder) && seenIn(folder)[path.basename(file)] === identity;
}

export function noteSeen({ file, identity, changedAtMs }: FileState, folder = addonFolder): void {
  if (path.dirname(file) !== path.resolve(folder) || Date.now() - changedAtMs < SETTLED_MS) return;
  const seen: Seen = { ...seenIn(folder), [path.basename(file)]: identity };
  writeMadeFile(path.join(folder, LIST), PINNED, Buffer.from(JSON.stringify(seen)));
}

function seenIn(folder: string): Seen {
  const kept = readMadeFile(path.join(folder, LIST), PINNED);
  return kept === undefined ? {} : (JSON.parse(kept.toString()) as Seen);
}

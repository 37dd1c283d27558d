/** Binaries to try the guard with: real ones, and real ones with a byte changed. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addonFolder } from "../../../src/base/native/folder.ts";
import { thisMachine } from "../../../src/base/native/machine.ts";
import { type Addon, type Pin, pinsFor, servedName } from "../../../src/base/native/pins.ts";

export const DIST = fileURLToPath(new URL("../../../dist/", import.meta.url));

/** The binary for this machine, as the checkout has it; null where there is none. */
export function addonFile(addon: Addon): string | null {
  const files = pinsFor(addon, thisMachine()).map((pin) => path.join(addonFolder, servedName(pin)));
  return files.find((file) => existsSync(file)) ?? null;
}

/** What was published, made of what is served: where one byte was made zero there was a space. */
export function publishedBytes({ mended }: Pin, file: string): Buffer {
  const bytes = readFileSync(file);
  if (mended !== undefined) bytes.write(" ", mended.at);
  return bytes;
}

/** Changes one byte in the middle: the file has the same length as before. */
export function spoil(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(file, bytes);
}

/** A copy with one byte changed. */
export function spoiledCopy(file: string, folder: string): string {
  const copy = path.join(folder, path.basename(file));
  writeFileSync(copy, readFileSync(file));
  spoil(copy);
  return copy;
}

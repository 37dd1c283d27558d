/**
 * The one byte by which a binary of the store differs from the published one. When LMDB fails to write a page, its binding
 * writes a message of up to 130 characters into room for 100, and the process ends then or later. The byte ends the text of
 * that message before its first number.
 */
import { createHash } from "node:crypto";
import type { Pin } from "./pins.ts";

/** What is kept of the bytes that were published, or null when they are not those of the pin. */
export function served({ sha256, mended }: Pick<Pin, "sha256" | "mended">, bytes: Uint8Array): Uint8Array | null {
  if (mended === undefined) return hashOf(bytes) === sha256 ? bytes : null;
  if (hashOf(bytes) !== mended.published) return null;
  const copy = Uint8Array.from(bytes);
  copy[mended.at] = 0;
  return hashOf(copy) === sha256 ? copy : null;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

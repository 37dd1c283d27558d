/**
 * The compiled binaries that the server may load: for which machines each is, in which file of which package it is
 * published, and the hash of its bytes. Everything else is refused (`guard.ts`).
 */
import type { Machine } from "./machine.ts";
import list from "./pins.json" with { type: "json" };

export type Addon = "uws" | "lmdb";

export interface Pin {
  addon: string;
  os: string;
  arch: string;
  /** On Linux: the family of the C library. */
  libc?: string;
  /** The oldest version of glibc that will do. */
  glibc?: string;
  /** Node's module version; without it the binary fits every Node. */
  abi?: number;
  /** `name@version`, and the path in it. */
  package: string;
  file: string;
  bytes: number;
  /** Of what is loaded. */
  sha256: string;
  /** Where it is not what was published, see `mend.ts`: the hash of that, and the place of the byte that is made zero. */
  mended?: { at: number; published: string };
}

export const pins: readonly Pin[] = list;

/** What fits the machine, whatever its version of glibc: the best first. */
export function pinsFor(addon: Addon, machine: Machine): Pin[] {
  return pins.filter(
    (pin) =>
      pin.addon === addon &&
      pin.os === machine.os &&
      pin.arch === machine.arch &&
      (pin.libc ?? null) === machine.libc &&
      (pin.abi === undefined || pin.abi === machine.abi),
  );
}

/** What the file is called where the server keeps its binaries. */
export function servedName({ addon, os, arch, libc, glibc, abi }: Pin): string {
  const parts = [addon, os, arch];
  if (libc !== undefined) parts.push(`${libc}${glibc ?? ""}`);
  if (abi !== undefined) parts.push(`abi${abi}`);
  return `${parts.join("-")}.node`;
}

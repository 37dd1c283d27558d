/** Whom connections to other servers trust: Node's own list, and what `extra-authorities.ts` has put off. */
import { readFileSync } from "node:fs";
import type { SecureContext } from "node:tls";
import { builtIn } from "./built-in.ts";
import { EXTRA_AUTHORITIES } from "./extra-authorities.ts";

let context: SecureContext | null | undefined;

/** For connections of this thread; undefined where Node knows everything already. */
export function authorities(): SecureContext | undefined {
  if (context === undefined) context = contextFor(process.env[EXTRA_AUTHORITIES]);
  return context ?? undefined;
}

function contextFor(file: string | undefined): SecureContext | null {
  if (file === undefined) return null;
  const tls = builtIn("node:tls");
  try {
    return tls.createSecureContext({ ca: [...tls.rootCertificates, readFileSync(file)] });
  } catch {
    // As Node: a file that cannot be read adds nothing.
    return null;
  }
}

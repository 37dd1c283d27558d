/**
 * Removes what nobody refers to any more. A disk that refuses even that stops nothing: what stays is swept at the next start.
 * Says whether it is gone.
 */
import { rmSync } from "node:fs";

export function removeLeftover(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

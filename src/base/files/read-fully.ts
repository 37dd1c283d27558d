/** Reads of a file that give all that was asked for. */
import { readSync } from "node:fs";

/** Fills `into` with what lies from `position` on. Throws when the file ends before. */
export function readFully(fd: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, position + done);
    if (read === 0) throw new Error("a file ends before what is looked for in it");
    done += read;
  }
}

/** Files with one record a line, however long they are: read in pieces, with a bound on what has to be held at once. */
import { createReadStream } from "node:fs";
import { MIB } from "../../base/limits.ts";
import { DumpProblem } from "./problem.ts";

/** The longest text that is taken for one record; a few packed bytes can become far more. */
export const RECORD_BYTES_MAX = 256 * MIB;
const NEWLINE = 0x0a;

/** Whole lines, of about `pieceBytes` together. */
export async function* linePieces(file: string, pieceBytes: number): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const read of createReadStream(file, { highWaterMark: Math.min(pieceBytes, MIB) })) {
    const chunk = read as Buffer;
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (bytes + chunk.length < pieceBytes || end === 0) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > pieceBytes + RECORD_BYTES_MAX) throw new DumpProblem("it holds a line that is too long");
      continue;
    }
    yield Buffer.concat([...chunks, chunk.subarray(0, end)]);
    chunks = [chunk.subarray(end)];
    bytes = chunk.length - end;
  }
  const rest = Buffer.concat(chunks);
  if (rest.some((byte) => byte > 0x20)) yield rest;
}

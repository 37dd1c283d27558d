/** A stream of bytes cut into batches of whole documents, each about as large as wanted. Keeps one batch in memory. */
import type { Cutter } from "./cutters.ts";

export interface Batch {
  body: Uint8Array[];
  documents: number;
  /** Where it ends in the source: what comes after it has not been sent. */
  end: number;
  /** What the cutter must know to go on from there. */
  memory: string;
}

export async function* batchesOf(
  source: AsyncIterable<Uint8Array>,
  cutter: Cutter,
  { bytesMin, offset }: { bytesMin: number; offset: number },
): AsyncGenerator<Batch> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let end = offset;
  let known = 0;
  const take = (): Batch => {
    const documents = cutter.documents - known;
    known = cutter.documents;
    end += size;
    const batch = { body: cutter.body(pieces), documents, end, memory: cutter.memory() };
    pieces = [];
    size = 0;
    return batch;
  };
  /** Bytes after the last document that has ended, of all the pieces. */
  let open = 0;
  for await (const chunk of source) {
    const cut = cutter.advance(chunk);
    if (cut === 0 || size + cut < bytesMin || cutter.documents === known) {
      pieces.push(chunk);
      size += chunk.length;
      open = cut === 0 ? open + chunk.length : chunk.length - cut;
      continue;
    }
    pieces.push(chunk.subarray(0, cut));
    size += cut;
    yield take();
    // Copied, so that the rest of a large chunk is not kept for it.
    const rest = Buffer.from(chunk.subarray(cut));
    pieces = rest.length > 0 ? [rest] : [];
    size = rest.length;
    open = rest.length;
  }
  const rest = tail(pieces, open);
  if (cutter.isLast(rest)) cutter.documents++;
  else pieces = withoutTail(pieces, open);
  size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (cutter.documents > known) yield take();
}

function tail(pieces: Uint8Array[], bytes: number): Uint8Array {
  const whole: Uint8Array[] = [];
  for (let i = pieces.length - 1, left = bytes; i >= 0 && left > 0; i--) {
    const piece = pieces[i]!;
    whole.unshift(piece.subarray(Math.max(0, piece.length - left)));
    left -= piece.length;
  }
  return Buffer.concat(whole);
}

function withoutTail(pieces: Uint8Array[], bytes: number): Uint8Array[] {
  const kept = [...pieces];
  for (let left = bytes; left > 0 && kept.length > 0; ) {
    const last = kept.pop()!;
    if (last.length > left) kept.push(last.subarray(0, last.length - left));
    left -= last.length;
  }
  return kept;
}

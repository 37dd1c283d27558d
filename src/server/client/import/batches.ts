/**
 * A stream of bytes cut into batches of whole documents, each as large as it may be. What comes in one chunk stays together, and
 * so does a document: only these make a batch larger. Keeps one batch in memory.
 */
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
  { bytesMax, offset }: { bytesMax: number; offset: number },
): AsyncGenerator<Batch> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  /** Bytes after the last document that has ended, of all the pieces. */
  let open = 0;
  let end = offset;
  let known = 0;
  const take = (documents: number): Batch => {
    end += size - open;
    const batch = { body: cutter.body(withoutTail(pieces, open)), documents: documents - known, end };
    known = documents;
    // Copied, so that the rest of a large chunk is not kept for it.
    pieces = open > 0 ? [tail(pieces, open)] : [];
    size = open;
    return { ...batch, memory: cutter.memory() };
  };
  for await (const chunk of source) {
    const ended = cutter.documents;
    const cut = cutter.advance(chunk);
    if (cut > 0 && ended > known && size + cut > bytesMax) yield take(ended);
    pieces.push(chunk);
    size += chunk.length;
    open = cut === 0 ? open + chunk.length : chunk.length - cut;
  }
  if (cutter.isLast(tail(pieces, open))) {
    cutter.documents++;
    open = 0;
  }
  if (cutter.documents > known) yield take(cutter.documents);
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

/** A task whose body another thread has read: what the record holds as JSON, and the pieces of its texts, sealed, as they are stored. */
import type { JsonObject } from "../json/value.ts";
import type { TaskContent, TaskTexts } from "./task.ts";

/** What the record is to hold. */
interface WrittenHead {
  details: JsonObject | null;
  /** Null where it is a text. */
  content: TaskContent | null;
  texts?: TaskTexts;
  pieces: { key: string; bytes: number }[];
}

export interface WrittenTask extends Omit<WrittenHead, "pieces"> {
  pieces: SealedPiece[];
}

export interface SealedPiece {
  key: string;
  sealed: Uint8Array;
}

const LENGTH_BYTES = 4;

/** `u32 bytes of the head | head (JSON) | pieces`. */
export function encodeWritten({ pieces, ...rest }: WrittenTask): Uint8Array {
  const head: WrittenHead = { ...rest, pieces: pieces.map(({ key, sealed }) => ({ key, bytes: sealed.length })) };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, ...pieces.map(({ sealed }) => sealed)]);
}

/** The pieces are parts of the bytes. */
export function decodeWritten(bytes: Uint8Array): WrittenTask {
  const written = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = LENGTH_BYTES + written.readUInt32LE(0);
  const { pieces, ...rest } = JSON.parse(written.toString("utf8", LENGTH_BYTES, at)) as WrittenHead;
  const sealed = pieces.map(({ key, bytes: length }) => {
    at += length;
    return { key, sealed: written.subarray(at - length, at) };
  });
  return { ...rest, pieces: sealed };
}

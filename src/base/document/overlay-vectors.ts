/**
 * Partial updates of `_vectors`: embedders that a newer version does not name keep what an older one gave them.
 * Splices stored bytes; values are not looked into, save for the one form that says "keep what is there".
 */
import { Buffer } from "node:buffer";
import { ByteSink } from "../json/bytes.ts";
import { JsonCursor, KEY, OBJECT_START } from "../json/cursor.ts";

/** A value somewhere in its bytes. */
interface ValuePlace {
  bytes: Uint8Array;
  start: number;
  end: number;
}

const cursor = new JsonCursor();

/** From oldest to newest: `{"_vectors":{…}}`, or null when the newest is no object and simply replaces the others. */
export function overlayVectors(values: readonly ValuePlace[]): Uint8Array | null {
  const entries = new Map<string, ValuePlace>();
  for (const { bytes, start, end } of values) {
    cursor.reset(bytes, start, end);
    if (cursor.next() !== OBJECT_START) {
      entries.clear();
      continue;
    }
    while (cursor.next() === KEY) {
      const name = cursor.text();
      cursor.skipValue();
      const newer = { bytes, start: cursor.start, end: cursor.end };
      const older = entries.get(name);
      entries.set(name, older !== undefined && keepsOlder(newer) ? userProvided(older) : newer);
    }
  }
  const newest = values.at(-1)!;
  if (newest.bytes[newest.start] !== OPENING_BRACE) return null;
  const out = new ByteSink(1024);
  out.ascii('{"_vectors":{');
  let first = true;
  for (const [name, { bytes, start, end }] of entries) {
    if (!first) out.byte(0x2c);
    first = false;
    out.utf8(JSON.stringify(name));
    out.byte(0x3a);
    out.bytes(bytes, start, end);
  }
  out.ascii("}}");
  return out.view();
}

const OPENING_BRACE = 0x7b;
/** `{"regenerate": false}` with some room for white space. */
const KEEP_BYTES_MAX = 64;

/** Whether it is `{"regenerate":false}`: no new vectors, and the old ones are not to be replaced. */
function keepsOlder({ bytes, start, end }: ValuePlace): boolean {
  if (bytes[start] !== OPENING_BRACE || end - start > KEEP_BYTES_MAX) return false;
  const value = JSON.parse(textOf({ bytes, start, end })) as { regenerate?: unknown };
  return value.regenerate === false && Object.keys(value).length === 1;
}

/** The same vectors, from now on the client's own. */
function userProvided(older: ValuePlace): ValuePlace {
  if (older.bytes[older.start] !== OPENING_BRACE) return older;
  const value = JSON.parse(textOf(older)) as object;
  const bytes = Buffer.from(JSON.stringify({ ...value, regenerate: false }));
  return { bytes, start: 0, end: bytes.length };
}

function textOf({ bytes, start, end }: ValuePlace): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8", start, end);
}

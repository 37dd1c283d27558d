/**
 * Texts that are too long for the record they belong to: settings, filters, what an edition is given. They lie beside it in pieces,
 * which are sealed by whichever thread has made the text, and read one by one: so nobody who only passes a text on, or shows it,
 * works on much of it at a time. A name is given once, and what lies there never changes.
 */
import { randomBytes } from "node:crypto";
import type { TaskContent, TaskTexts, TextRef } from "../../base/contract/task.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { KIB } from "../../base/limits.ts";
import type { Table } from "./table.ts";

/** About a fifth of a millisecond of whoever reads one. */
const TEXT_PIECE_BYTES = 256 * KIB;
/** A member of the details, or a content, beyond this is a text of its own. */
const LONG_TEXT_BYTES = 16 * KIB;
const NAME_BYTES = 12;

export type Texts = Pick<Table<string, Uint8Array>, "get">;
type PutPiece = (key: string, piece: Uint8Array) => void;

export function keysOf({ name, bytes }: TextRef): string[] {
  return Array.from({ length: Math.ceil(bytes / TEXT_PIECE_BYTES) }, (_, i) => `${name}-${i}`);
}

/** All that lie beside the record of a task. */
export function textsOf({ texts }: { texts?: TaskTexts }): TextRef[] {
  return texts === undefined ? [] : [texts.content, ...Object.values(texts.details)];
}

/** Hands over the pieces. */
function putText(text: Uint8Array, put: PutPiece): TextRef {
  const ref = { name: randomBytes(NAME_BYTES).toString("hex"), bytes: text.length };
  for (const [i, key] of keysOf(ref).entries()) {
    put(key, text.subarray(i * TEXT_PIECE_BYTES, (i + 1) * TEXT_PIECE_BYTES));
  }
  return ref;
}

/** Piece by piece; null for one that is gone, with the task it belonged to. */
export function* textPieces(ref: TextRef, texts: Texts): Generator<Uint8Array | null> {
  for (const key of keysOf(ref)) yield texts.get(key) ?? null;
}

/** All of it at once, for threads that have the time. */
export function wholeText(ref: TextRef, texts: Texts): Json {
  const pieces: Uint8Array[] = [];
  for (const piece of textPieces(ref, texts)) {
    if (piece === null) throw new Error(`The text \`${ref.name}\` in the store is gone.`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as Json;
}

/** With the texts in their places. */
export function wholeDetails<D extends JsonObject | null>(
  details: D,
  refs: Record<string, TextRef> | undefined,
  texts: Texts,
): D {
  if (details === null || refs === undefined) return details;
  const whole = Object.entries(refs).map(([name, ref]) => [name, wholeText(ref, texts)] as const);
  return { ...details, ...Object.fromEntries(whole) };
}

/** Null in the place of the texts: as a record has them. */
export function shortDetails<D extends JsonObject | null>(details: D, refs: Record<string, TextRef> | undefined): D {
  if (details === null || refs === undefined) return details;
  return { ...details, ...Object.fromEntries(Object.keys(refs).map((name) => [name, null])) };
}

/** Makes texts of the members that are long; undefined where none is. */
export function putLongMembers(details: JsonObject | null, put: PutPiece): Record<string, TextRef> | undefined {
  let refs: Record<string, TextRef> | undefined;
  for (const [name, value] of Object.entries(details ?? {})) {
    if (value === null || typeof value === "number" || typeof value === "boolean") continue;
    const text = JSON.stringify(value);
    if (text.length <= LONG_TEXT_BYTES) continue;
    refs ??= {};
    refs[name] = putText(Buffer.from(text), put);
  }
  return refs;
}

/** Makes texts of what is long in a task; undefined where nothing is. */
export function putTaskTexts(content: TaskContent, details: JsonObject | null, put: PutPiece): TaskTexts | undefined {
  const text = JSON.stringify(content);
  if (text.length <= LONG_TEXT_BYTES) return undefined;
  return { content: putText(Buffer.from(text), put), details: putLongMembers(details, put) ?? {} };
}

/**
 * Showing part of a stored document: selected fields, with the structure around them, and `_vectors` hidden unless asked
 * for. Bytes in, bytes out; selections are compiled once and used for every document of an answer.
 */

import type { ByteSink } from "../json/bytes.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, OBJECT_START, STRING } from "../json/cursor.ts";
import { KeyTable } from "../json/key-table.ts";

const encoder = new TextEncoder();
const DOT = 0x2e;

export const VECTORS_FIELD = "_vectors";
const VECTORS_KEY = encoder.encode(VECTORS_FIELD);

/**
 * Dotted names as a tree: `a.b` and `a.c` are one node `a` with two below it. A member's own name may hold dots too, so
 * `{"a.b": 1}` and `{"a": {"b": 1}}` are both found by `a.b`.
 */
export class FieldSelection {
  /** Whether everything from here down is selected. */
  whole = false;
  /** Whether some document of the index has a field that is selected here or below. */
  #known = false;
  /** Names of the children; the table of many comes with the second one, since there is mostly one. */
  #name: Uint8Array | null = null;
  #table: KeyTable | null = null;
  readonly #children: FieldSelection[] = [];

  /** `isKnown` tells whether any document of the index is sure to have the field. */
  static of(fields: readonly string[], isKnown: (field: string) => boolean = () => false): FieldSelection {
    const root = new FieldSelection();
    for (const field of fields) {
      const known = field.includes(".") && isKnown(field);
      const name = encoder.encode(field);
      let node = root;
      for (let start = 0; start <= name.length; ) {
        const dot = name.indexOf(DOT, start);
        const end = dot === -1 ? name.length : dot;
        node = node.#childFor(name.subarray(start, end));
        node.#known ||= known;
        start = end + 1;
      }
      node.whole = true;
    }
    return root;
  }

  /** Whether the way to a field of the index is shown also by documents that do not have the field. */
  get showsEmptyWay(): boolean {
    return this.#known;
  }

  get isLeaf(): boolean {
    return this.#children.length === 0;
  }

  #childFor(part: Uint8Array): FieldSelection {
    const known = this.#child(part, 0, part.length);
    if (known !== -1) return this.#children[known]!;
    const child = new FieldSelection();
    if (this.#name === null) {
      this.#name = part;
    } else {
      this.#table ??= tableOf(this.#name);
      this.#table.add(part, 0, part.length, this.#children.length);
    }
    this.#children.push(child);
    return child;
  }

  /** The child for the name in `bytes[start, end)`, or -1. */
  #child(bytes: Uint8Array, start: number, end: number): number {
    if (this.#table !== null) return this.#table.get(bytes, start, end);
    const name = this.#name;
    if (name === null || name.length !== end - start) return -1;
    for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return -1;
    return 0;
  }

  /** The node for a member's name, or null when nothing of it is selected. */
  find(name: Uint8Array, start: number, end: number): FieldSelection | null {
    let node: FieldSelection = this;
    let partStart = start;
    for (let at = start; at <= end; at++) {
      if (at < end && name[at] !== DOT) continue;
      const child = node.#child(name, partStart, at);
      if (child === -1) return null;
      node = node.#children[child]!;
      partStart = at + 1;
    }
    return node;
  }
}

function tableOf(first: Uint8Array): KeyTable {
  const table = new KeyTable();
  table.add(first, 0, first.length, 0);
  return table;
}

interface PickOptions {
  /** Leave the top-level `_vectors` out, even when it is selected. */
  hideVectors: boolean;
  /** Of values on the way to a selected field, leave out those that do not lead to one: plain ones, items of arrays. */
  onlySelected?: boolean;
}

const cursor = new JsonCursor();
let onlySelected = false;

/** Appends the document with only the selected fields; `null` selects all. The document must be in stored (compact) form. */
export function pickFields(
  document: Uint8Array,
  selection: FieldSelection | null,
  options: PickOptions,
  out: ByteSink,
): void {
  if (selection === null && !options.hideVectors) {
    out.bytes(document);
    return;
  }
  onlySelected = options.onlySelected ?? false;
  cursor.reset(document, 0, document.length);
  cursor.next();
  if (selection === null) withoutVectors(document, out);
  else pickObject(document, selection, options.hideVectors, out);
}

/** Copies the runs before and after `_vectors`; one copy when there is none. */
function withoutVectors(document: Uint8Array, out: ByteSink): void {
  let memberStart = 1;
  while (cursor.next() === KEY) {
    const hit = isVectors(document, cursor.start, cursor.end);
    cursor.skipValue();
    if (hit) {
      const after = cursor.end;
      const last = document[after] === 0x7d;
      // The comma that goes is the one before the member when it is the last, else the one after.
      out.bytes(document, 0, last && memberStart > 1 ? memberStart - 1 : memberStart);
      out.bytes(document, last ? after : after + 1, document.length);
      return;
    }
    memberStart = cursor.end + 1;
  }
  out.bytes(document);
}

/** The cursor is inside an object; true when anything was selected. Closes the object. */
function pickObject(document: Uint8Array, selection: FieldSelection, hideVectors: boolean, out: ByteSink): boolean {
  out.byte(0x7b);
  let first = true;
  let found = false;
  while (cursor.next() === KEY) {
    const keyStart = cursor.start;
    const keyEnd = cursor.end;
    const node = findNode(document, selection);
    if (node === null || (hideVectors && isVectors(document, keyStart, keyEnd))) {
      cursor.skipValue();
      continue;
    }
    const rollback = out.length;
    if (!first) out.byte(0x2c);
    out.bytes(document, keyStart - 1, keyEnd + 1);
    out.byte(0x3a);
    const start = out.length;
    const hit = pickValue(document, node, out);
    found ||= hit;
    if (hit || (node.showsEmptyWay && out.length > start)) first = false;
    else out.length = rollback;
  }
  out.byte(0x7d);
  return found;
}

/** Selected values are copied whole; on the way to one, objects are thinned. True when anything was selected. */
function pickValue(document: Uint8Array, node: FieldSelection, out: ByteSink): boolean {
  if (node.whole) {
    cursor.skipValue();
    out.bytes(document, cursor.start, cursor.end);
    return true;
  }
  if (node.isLeaf) {
    cursor.skipValue();
    return false;
  }
  return pickNested(cursor.next(), document, node, out);
}

/** The value whose first token was read, all of it; nothing is appended for a plain one that is left out. */
function pickNested(token: number, document: Uint8Array, node: FieldSelection, out: ByteSink): boolean {
  if (token === OBJECT_START) return pickObject(document, node, false, out);
  if (token === ARRAY_START) return pickArray(document, node, out);
  const quotes = token === STRING ? 1 : 0;
  if (!onlySelected) out.bytes(document, cursor.start - quotes, cursor.end + quotes);
  return false;
}

/** The cursor is inside an array, which it closes. */
function pickArray(document: Uint8Array, node: FieldSelection, out: ByteSink): boolean {
  out.byte(0x5b);
  let first = true;
  let found = false;
  for (let token = cursor.next(); token !== ARRAY_END; token = cursor.next()) {
    const rollback = out.length;
    if (!first) out.byte(0x2c);
    const start = out.length;
    const hit = pickNested(token, document, node, out);
    found ||= hit;
    if (out.length > start && (hit || !onlySelected || token === ARRAY_START)) first = false;
    else out.length = rollback;
  }
  out.byte(0x5d);
  return found;
}

function findNode(document: Uint8Array, selection: FieldSelection): FieldSelection | null {
  if (!cursor.escaped) return selection.find(document, cursor.start, cursor.end);
  const name = encoder.encode(cursor.text());
  return selection.find(name, 0, name.length);
}

function isVectors(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== VECTORS_KEY.length) return false;
  for (let i = 0; i < VECTORS_KEY.length; i++) {
    if (bytes[start + i] !== VECTORS_KEY[i]) return false;
  }
  return true;
}

/** Fields and the paths that lead to them: what is wanted of each, and how far its words have come in the document. */

import { Log } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Table } from "../../shared/assembly/table";
import { Column } from "./columns";
import { child, tooManyFields } from "./host";

const NONE: u32 = u32.MAX_VALUE;
const FIELDS_MAX: u32 = 65_535;
/** Longer counts of words are not kept. */
const WORD_COUNT_MAX: u32 = 30;
const VALUE_GAP: u32 = 8;
export const POSITIONS: u32 = 65_536;

/** A flattened field. */
@unmanaged
export class Field {
  /** Whether its words are indexed. */
  searchable: bool;
  /** Whether its texts are read by the host. */
  elsewhere: bool;
  /** Of its Latin texts. */
  language: u32;
  /** Numbers fields that have words, in order of appearance. */
  id: u32;
  /** The row visited last; the position there and the number of words. */
  row: u32;
  position: u32;
  wordCount: u32;
  /** The field that was visited before it in the row. */
  touchedBefore: usize;
  /** (row << 5 | number of words), for rows with at most thirty. */
  lengths: Log;
  /** Null when the field is not kept in a column. */
  column: Column | null;
}

/** A path in documents: how a key under it leads on. */
@unmanaged
export class Node {
  field: Field;
  /** 0: read; 1: of no interest; above: kept apart by the host. */
  kind: u32;
  /** The field's number among those at the top. */
  topFieldNumber: u32;
  /** Keys met under it, in order: documents repeat their keys in one order. */
  firstKey: usize;
  lastKey: usize;
  /** The key to try first. */
  expected: usize;
}

/** One spelling of a key under a node; its bytes follow. */
@unmanaged
class Key {
  /** Address of the next key of the node. */
  next: u32;
  /** Address of the node it leads to. */
  node: u32;
  length: u32;

  @inline
  get bytes(): usize {
    return changetype<usize>(this) + offsetof<Key>();
  }
}

/** Room behind a string that is looked up in a table. */
const BEHIND_BYTES: usize = 8;
const KEY_LENGTH_USUAL: u32 = 256;

let keys: Table = changetype<Table>(0);
/** Where a key is put together with its node, and the length there is room for. */
let spelled: usize = 0;
let spelledMax: u32 = 0;
let fieldCount: u32 = 0;
let touched: usize = 0;

export function openFields(): void {
  keys = changetype<Table>(allocate(offsetof<Table>()));
  keys.prepare();
  spelledMax = KEY_LENGTH_USUAL;
  spelled = allocate(BEHIND_BYTES + 4 + <usize>spelledMax);
  fieldCount = 0;
  touched = 0;
}

export function newField(searchable: bool, elsewhere: bool, language: u32, column: usize): usize {
  const field = changetype<Field>(allocateZeros(offsetof<Field>()));
  field.searchable = searchable;
  field.elsewhere = elsewhere;
  field.language = language;
  field.id = NONE;
  field.row = NONE;
  field.lengths = changetype<Log>(allocateZeros(offsetof<Log>()));
  field.column = changetype<Column | null>(column);
  return changetype<usize>(field);
}

export function newNode(field: usize, kind: u32, topFieldNumber: u32): usize {
  const node = changetype<Node>(allocateZeros(offsetof<Node>()));
  node.field = changetype<Field>(field);
  node.kind = kind;
  node.topFieldNumber = topFieldNumber;
  return changetype<usize>(node);
}

/** The number of a field with words; all bits set when it has none. */
export function fieldId(field: usize): u32 {
  return changetype<Field>(field).id;
}

/** Number of known word counts of a field; with `out`, they are written there. */
export function lengthsOf(field: usize, out: usize): u32 {
  const lengths = changetype<Field>(field).lengths;
  if (out !== 0) lengths.copyTo(out);
  return lengths.length;
}

/** The node under the key `[start, start + length)`, as it is spelled in JSON. */
export function childOf(node: Node, start: usize, length: u32): Node {
  const expected = changetype<Key>(node.expected);
  if (node.expected !== 0 && expected.length === length && isSpelled(expected.bytes, start, length)) {
    node.expected = expected.next;
    return changetype<Node>(expected.node);
  }
  return childByTable(node, start, length);
}

function isSpelled(key: usize, start: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(key + i) !== load<u8>(start + i)) return false;
  return true;
}

/** All keys of all nodes are in one table, each behind the address of its node. */
function childByTable(node: Node, start: usize, length: u32): Node {
  if (length > spelledMax) {
    spelledMax = 2 * length;
    spelled = allocate(BEHIND_BYTES + 4 + <usize>spelledMax);
  }
  store<u32>(spelled, <u32>changetype<usize>(node));
  memory.copy(spelled + 4, start, length);
  const entry = keys.entry(spelled, length + 4);
  if (keys.isNew) entry.value = <u32>newKey(node, start, length, child(changetype<usize>(node), start, length));
  const key = changetype<Key>(entry.value);
  node.expected = key.next;
  return changetype<Node>(key.node);
}

function newKey(node: Node, start: usize, length: u32, leadsTo: usize): usize {
  const at = allocate(offsetof<Key>() + length);
  const key = changetype<Key>(at);
  key.next = 0;
  key.node = <u32>leadsTo;
  key.length = length;
  memory.copy(key.bytes, start, length);
  if (node.lastKey === 0) node.firstKey = at;
  else changetype<Key>(node.lastKey).next = <u32>at;
  node.lastKey = at;
  return at;
}

/** Moves a field to its next value; false when no words are wanted or there is no room for them. */
export function visit(field: Field, row: u32): bool {
  if (!field.searchable) return false;
  if (field.row !== row) {
    field.row = row;
    field.position = 0;
    field.wordCount = 0;
    field.touchedBefore = touched;
    touched = changetype<usize>(field);
  } else {
    field.position += VALUE_GAP;
  }
  return field.position < POSITIONS;
}

/** Gives a field its number when its first word has come. */
export function numberField(field: Field): void {
  if (fieldCount >= FIELDS_MAX) tooManyFields();
  field.id = fieldCount++;
}

/** Notes how many words the fields of the row have. */
export function countWords(row: u32): void {
  for (let at = touched; at !== 0; ) {
    const field = changetype<Field>(at);
    if (field.wordCount > 0 && field.wordCount <= WORD_COUNT_MAX) field.lengths.push((row << 5) | field.wordCount);
    at = field.touchedBefore;
  }
  touched = 0;
}

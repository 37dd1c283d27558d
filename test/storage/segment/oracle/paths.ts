/**
 * Finds, for each key met while walking a document, the field it belongs to and what is wanted of it. Every path is
 * decided once; after that a key costs a comparison of bytes and makes no string.
 */
import { Buffer } from "node:buffer";
import { WordLog } from "../../../../src/storage/segment/byte-log.ts";
import {
  type ExtractionRules,
  isFaceted,
  isReserved,
  isSearchable,
  isWanted,
  localesOf,
} from "../../../../src/storage/segment/rules.ts";
import type { ColumnBuilder, ColumnsBuilder } from "../columns/builder.ts";

/** A flattened field, and the state of its values in the document being walked. */
export class FieldState {
  readonly name: string;
  readonly searchable: boolean;
  readonly locales: string[] | null;
  /** Null when the field is not kept in a column. */
  readonly column: ColumnBuilder | null;
  /** Numbers fields that have words, in order of appearance; -1 without words so far. */
  id = -1;
  /** Its number among the top-level fields; -1 until it was met there. */
  topFieldNumber = -1;
  /** Row last visited; its position and number of words follow. */
  row = -1;
  position = 0;
  wordCount = 0;
  /** (row << 5 | number of words) for rows with at most thirty. */
  readonly lengths = new WordLog(16);

  constructor(name: string, rules: ExtractionRules, columns: ColumnsBuilder) {
    const reserved = isReserved(name);
    this.name = name;
    this.searchable = !reserved && isSearchable(rules, name);
    this.column = !reserved && isFaceted(rules, name) ? columns.column(name) : null;
    this.locales = localesOf(rules, name);
  }
}

/** Path by path, what a document can hold. A literal key `a.b` and `b` inside `a` are different nodes of one field. */
export class PathNode {
  readonly field: FieldState;
  /** Nothing at or below this path is wanted. */
  readonly skipped: boolean;
  readonly #keys: Uint8Array[] = [];
  readonly #children: PathNode[] = [];
  /** Key to its place in `keys` and `children`. */
  readonly #places = new Map<string, number>();
  /** Documents repeat their keys in one order: the place to try first. */
  #expected = 0;
  readonly #table: FieldTable;

  constructor(field: FieldState, skipped: boolean, table: FieldTable) {
    this.field = field;
    this.skipped = skipped;
    this.#table = table;
  }

  /** The child under the key `bytes[start, end)`, which has no escapes. */
  child(bytes: Uint8Array, start: number, end: number): PathNode {
    const expected = this.#expected;
    return (
      this.#childAmong(expected, bytes, start, end) ??
      this.#childAmong(0, bytes, start, end) ??
      this.childOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8", start, end))
    );
  }

  /** Compares the key with a few known ones. */
  #childAmong(from: number, bytes: Uint8Array, start: number, end: number): PathNode | null {
    const keys = this.#keys;
    const to = Math.min(keys.length, from + KEYS_COMPARED);
    for (let place = from; place < to; place++) {
      if (isSame(keys[place]!, bytes, start, end)) {
        this.#expected = place + 1;
        return this.#children[place]!;
      }
    }
    return null;
  }

  childOf(key: string): PathNode {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#keys.length;
      this.#places.set(key, place);
      this.#keys.push(Buffer.from(key));
      this.#children.push(this.#table.node(this.field.name === "" ? key : `${this.field.name}.${key}`));
    }
    this.#expected = place + 1;
    return this.#children[place]!;
  }
}

/** Keys compared one by one before the key is made a string. */
const KEYS_COMPARED = 8;

export class FieldTable {
  readonly root: PathNode;
  readonly #rules: ExtractionRules;
  readonly #columns: ColumnsBuilder;
  readonly #fields = new Map<string, FieldState>();

  constructor(rules: ExtractionRules, columns: ColumnsBuilder) {
    this.#rules = rules;
    this.#columns = columns;
    this.root = new PathNode(new FieldState("", rules, columns), false, this);
  }

  node(name: string): PathNode {
    let field = this.#fields.get(name);
    if (field === undefined) {
      field = new FieldState(name, this.#rules, this.#columns);
      this.#fields.set(name, field);
    }
    return new PathNode(field, isReserved(name) || !isWanted(this.#rules, name), this);
  }
}

function isSame(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}

/**
 * Ids of foreign documents replaced by those documents. Works on the bytes of one document: what is no id, or not under a
 * foreign key, is copied as it is. Foreign documents are not hydrated in turn.
 */

import { isValidDocumentId } from "../../base/document/id.ts";
import { FieldSelection } from "../../base/document/pick.ts";
import type { ByteSink } from "../../base/json/bytes.ts";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, NUMBER, OBJECT_START, STRING } from "../../base/json/cursor.ts";
import type { ForeignDocuments } from "./documents.ts";

interface HydratedField {
  /** Dotted when it lies inside objects. */
  field: string;
  documents: Pick<ForeignDocuments, "write">;
}

const encoder = new TextEncoder();

export class Hydration {
  readonly #root: FieldSelection;
  readonly #documents = new Map<FieldSelection, HydratedField["documents"]>();
  readonly #cursor = new JsonCursor();

  constructor(fields: readonly HydratedField[]) {
    this.#root = FieldSelection.of(fields.map(({ field }) => field));
    for (const { field, documents } of fields) {
      const name = encoder.encode(field);
      this.#documents.set(this.#root.find(name, 0, name.length)!, documents);
    }
  }

  /** Appends the document; it must be in compact form. */
  write(document: Uint8Array, out: ByteSink): void {
    this.#cursor.reset(document, 0, document.length);
    this.#value(this.#cursor.next(), document, this.#root, out);
  }

  #value(token: number, document: Uint8Array, node: FieldSelection, out: ByteSink): void {
    const cursor = this.#cursor;
    if (token === OBJECT_START) this.#object(document, node, out);
    else if (token === ARRAY_START) this.#array(document, node, out);
    else if (token === STRING || token === NUMBER) {
      const documents = this.#documents.get(node);
      const id = documents === undefined ? "" : cursor.text();
      if (documents !== undefined && isValidDocumentId(id)) documents.write(id, out);
      else if (token === STRING) out.bytes(document, cursor.start - 1, cursor.end + 1);
      else out.bytes(document, cursor.start, cursor.end);
    } else out.bytes(document, cursor.start, cursor.end);
  }

  #object(document: Uint8Array, node: FieldSelection, out: ByteSink): void {
    const cursor = this.#cursor;
    let separator = 0x7b;
    while (cursor.next() === KEY) {
      out.byte(separator);
      separator = 0x2c;
      out.bytes(document, cursor.start - 1, cursor.end + 1);
      out.byte(0x3a);
      const child = this.#child(document, node);
      if (child !== null) this.#value(cursor.next(), document, child, out);
      else {
        cursor.skipValue();
        out.bytes(document, cursor.start, cursor.end);
      }
    }
    if (separator === 0x7b) out.byte(0x7b);
    out.byte(0x7d);
  }

  #array(document: Uint8Array, node: FieldSelection, out: ByteSink): void {
    const cursor = this.#cursor;
    out.byte(0x5b);
    let first = true;
    for (let token = cursor.next(); token !== ARRAY_END; token = cursor.next()) {
      if (!first) out.byte(0x2c);
      first = false;
      this.#value(token, document, node, out);
    }
    out.byte(0x5d);
  }

  /** The node of the member at the cursor. */
  #child(document: Uint8Array, node: FieldSelection): FieldSelection | null {
    const cursor = this.#cursor;
    if (!cursor.escaped) return node.find(document, cursor.start, cursor.end);
    const name = encoder.encode(cursor.text());
    return node.find(name, 0, name.length);
  }
}

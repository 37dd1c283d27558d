/**
 * The memory in which a thread formats documents, and the compiled code that works there. There is one for each thread; what
 * a query lays there stays until another one lays its own.
 */
import { Buffer } from "node:buffer";
import {
  BEGINNINGS_ANY,
  BEGINNINGS_MAX,
  BEHIND_BYTES,
  CHARACTER_ODD,
  CHARACTER_TEXT_MAX,
  CHARACTERS_BYTES,
  type FormatHost,
  type FormatKernels,
  formatKernels,
} from "../../../base/kernels/format/kernels.ts";
import { GrowingMemory, ownMemory } from "../../../base/kernels/growing-memory.ts";
import { KIB } from "../../../base/limits.ts";
import { lemmaBeginnings } from "../../../base/text/beginnings.ts";
import type { ScriptTables } from "../../../base/text/script-tables.ts";
import { LATIN } from "../../../base/text/scripts.ts";

const PAGES_FIRST = 8;
/** Address 0 stands for nothing. */
const FIRST_ADDRESS = 16;
/** Of code points that are kept in 16 bits. */
const UNIT_MAX = 0xffff;
const DOCUMENT_BYTES_USUAL = 16 * KIB;

/** What the owner is asked. */
export type DeskOwner = Pick<FormatHost, "child" | "flush" | "text">;

export class FormatDesk extends GrowingMemory {
  readonly kernels: FormatKernels;
  /** Asked while it formats; nobody in between, so that the desk keeps nothing of an index alive. */
  #owner: DeskOwner | null = null;
  /** Of the query whose terms lie here. */
  #ticket = 0;
  #lastTicket = 0;
  #tables: ScriptTables | null = null;
  #document = 0;
  #room = 0;

  constructor() {
    super(ownMemory(PAGES_FIRST));
    this.kernels = formatKernels(this.memory, {
      child: (node, key, length) => this.#owner!.child(node, key, length),
      flush: (length) => this.#owner!.flush(length),
      text: (node, start, length) => this.#owner!.text(node, start, length),
      beginnings: (codePoint, place) => this.#beginnings(codePoint, place),
      character: (codePoint, place) => this.#character(codePoint, place),
    });
    // Chosen anew in each thread, so that nobody can send words prepared to collide.
    this.kernels.prepare(FIRST_ADDRESS, Math.random() * 2 ** 32, Math.random() * 2 ** 32);
  }

  /** A number for a query. */
  newTicket(): number {
    return ++this.#lastTicket;
  }

  /** Whether what lies here belongs to the query. */
  isOf(ticket: number): boolean {
    return this.#ticket === ticket;
  }

  /** Formats the document that begins at `start`; returns how many bytes the output holds in the end. */
  format(owner: DeskOwner, start: number, root: number): number {
    this.#owner = owner;
    try {
      return this.kernels.formatDocument(start, root);
    } finally {
      this.#owner = null;
    }
  }

  /** Clears the desk for another query, of so many terms at most. */
  open(ticket: number, tables: ScriptTables, terms: number): void {
    this.kernels.openQuery(terms);
    this.#ticket = ticket;
    this.#room = 0;
    if (this.#tables?.isLike(tables)) return;
    this.#tables = tables;
    const { bytes, kernels } = this;
    bytes.set(tables.byteClasses(), kernels.addressOfByteClasses());
    bytes.set(tables.unitClasses(), kernels.addressOfUnitClasses());
    kernels.noteEscapes();
    const characters = kernels.addressOfCharacters();
    bytes.fill(0, characters, characters + CHARACTERS_BYTES);
  }

  /** Address of room for a document, which takes the place of the one before. */
  documentRoom(length: number): number {
    if (length > this.#room) {
      this.#room = Math.max(length, DOCUMENT_BYTES_USUAL);
      this.#document = this.kernels.allocate(this.#room + BEHIND_BYTES);
    }
    return this.#document;
  }

  #beginnings(codePoint: number, place: number): void {
    const { bytes } = this;
    const found = [...lemmaBeginnings(codePoint)];
    if (found.length > BEGINNINGS_MAX || found.some((each) => each > UNIT_MAX)) {
      bytes.writeUInt16LE(BEGINNINGS_ANY, place);
      return;
    }
    bytes.writeUInt16LE(found.length + 1, place);
    for (const [i, each] of found.entries()) bytes.writeUInt16LE(each, place + 2 * (i + 1));
  }

  #character(codePoint: number, place: number): void {
    const text = this.#tables!.characterText(codePoint, LATIN);
    const { bytes } = this;
    if (text === null || Buffer.byteLength(text) > CHARACTER_TEXT_MAX) bytes[place] = CHARACTER_ODD;
    else bytes[place] = bytes.write(text, place + 1) + 1;
  }
}

let own: FormatDesk | null = null;

/** That of this thread. */
export function formatDesk(): FormatDesk {
  own ??= new FormatDesk();
  return own;
}

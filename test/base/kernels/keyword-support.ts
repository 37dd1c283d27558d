/** Two memories with the same content, one for the kernels and one for their plain twins, and terms to put there. */
import assert from "node:assert/strict";
import { type KeywordKernels, keywordKernels } from "../../../src/base/kernels/keyword/kernels.ts";
import { FieldsReader } from "../../../src/storage/segment/fields/reader.ts";
import { NumberLog } from "../../storage/segment/oracle/number-log.ts";
import { FieldSets } from "../../storage/segment/oracle/numbered-sets.ts";
import { PostingsWriter } from "../../storage/segment/oracle/postings-writer.ts";
import { keywordTwin } from "./keyword-twin.ts";

const START = 4096;

export class TwoMemories {
  readonly #bytes: Uint8Array[];
  readonly #kernels: KeywordKernels;
  readonly #twin: KeywordKernels;
  #at = START;

  constructor(pages: number) {
    const make = () => new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const memories = [make(), make()];
    this.#bytes = memories.map((memory) => new Uint8Array(memory.buffer));
    this.#kernels = keywordKernels(memories[0]!);
    this.#twin = keywordTwin(memories[1]!);
  }

  /** For what only the compiled kernels can be asked. */
  get compiled(): KeywordKernels {
    return this.#kernels;
  }

  /** Zeroes both, so that the next property begins anew. */
  clear(): void {
    for (const bytes of this.#bytes) bytes.fill(0);
    this.#at = START;
  }

  room(bytes: number): number {
    const at = this.#at;
    this.#at += Math.ceil(bytes / 16) * 16;
    assert.ok(this.#at <= this.#bytes[0]!.length, "the memories of this test are too small");
    return at;
  }

  put(values: Uint8Array | Uint16Array | Uint32Array): number {
    const at = this.room(values.byteLength);
    for (const bytes of this.#bytes) bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    return at;
  }

  u8(values: readonly number[]): number {
    return this.put(Uint8Array.from(values));
  }

  u16(values: readonly number[]): number {
    return this.put(Uint16Array.from(values));
  }

  u32(values: readonly number[]): number {
    return this.put(Uint32Array.from(values));
  }

  /** A set of rows below `rows`. */
  bits(chosen: readonly number[], rows: number): number {
    const bytes = new Uint8Array(setBytes(rows));
    for (const row of chosen) bytes[row >>> 3]! |= 1 << (row & 7);
    return this.put(bytes);
  }

  /** What the kernels left. */
  readU32(at: number, count: number): number[] {
    return [...new Uint32Array(this.#bytes[0]!.buffer, at, count)];
  }

  /** Does the same with both: answers and memories must agree, but for `scratch` bytes at an address. */
  both<Answer>(call: (kernels: KeywordKernels) => Answer, scratch = { at: 0, bytes: 0 }): Answer {
    const answer = call(this.#kernels);
    assert.equal(answer, call(this.#twin));
    for (const bytes of this.#bytes) bytes.fill(0, scratch.at, scratch.at + scratch.bytes);
    const [ours, theirs] = this.#bytes as [Uint8Array, Uint8Array];
    const differs = Buffer.compare(Buffer.from(ours.buffer), Buffer.from(theirs.buffer)) !== 0;
    if (differs) assert.fail(`memories differ at ${ours.findIndex((byte, i) => byte !== theirs[i])}`);
    return answer;
  }
}

export function setBytes(rows: number): number {
  return Math.ceil(rows / 128) * 16;
}

export interface TermShape {
  /** Of a thousand rows, how many have the term. */
  share: number;
  /** Fields it is found in. */
  fields: number;
  /** Places in a field, at most. */
  repeats: number;
  /** Positions below this. */
  positions: number;
}

export interface Terms {
  refs: number;
  count: number;
  rows: number;
  sets: number;
  fields: number;
  setOffsets: number;
  setFields: number;
  /** Places by row, of every term. */
  occurrences: Map<number, number[]>[];
}

/** Numbers below a limit that look random and are the same for the same seed. */
export function randomBelow(seed: number): (limit: number) => number {
  let state = seed | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

export function chosenRows(rows: number, share: number, below: (limit: number) => number): number[] {
  return Array.from({ length: rows }, (_, row) => row).filter(() => below(1000) < share);
}

/** Occurrences of one term, some in at least one row. */
export function occurrencesOf(shape: TermShape, rows: readonly number[], below: (limit: number) => number) {
  const found = new Map<number, number[]>();
  for (const row of rows) {
    const places = new Set<number>();
    for (let field = 0; field < shape.fields; field++) {
      if (below(2) === 0 && (places.size > 0 || field + 1 < shape.fields)) continue;
      const count = 1 + below(shape.repeats);
      for (let i = 0; i < count; i++) places.add(field * 65_536 + below(shape.positions));
    }
    found.set(
      row,
      [...places].sort((a, b) => a - b),
    );
  }
  return found;
}

/** Packs terms as segments do and puts them in both memories. */
export function putTerms(
  memories: TwoMemories,
  occurrences: Map<number, number[]>[],
  rows: number,
  fields: number,
): Terms {
  const sets = new FieldSets(fields);
  for (let field = 0; field < fields; field++) sets.setOf(field);
  const writer = new PostingsWriter(rows, sets);
  const entries = new NumberLog();
  const starts = occurrences.map((found) => {
    const start = { entry: entries.length, postings: writer.postings.length, positions: writer.positions.length };
    const pairs = [...found].flatMap(([row, places]) => places.flatMap((place) => [row, place]));
    writer.term(entries, Uint32Array.from(pairs), 0, pairs.length / 2);
    return start;
  });
  writer.postings.append(new Uint8Array(16), 0, 16);
  writer.positions.append(new Uint8Array(16), 0, 16);
  const entryBytes = bytesOf(entries);
  const entriesAt = memories.put(entryBytes);
  const postingsAt = memories.put(bytesOf(writer.postings));
  const positionsAt = memories.put(bytesOf(writer.positions));
  const refs = occurrences.flatMap((found, i) => {
    const { entry, positions, postings } = starts[i]!;
    if (found.size > 1) return [found.size, postingsAt + postings, positionsAt + positions, 0, 0];
    const [, row, form, behind] = varints(entryBytes, entry);
    return [1, 0, entriesAt + behind, row, form];
  });
  const names = Array.from({ length: fields }, (_, field) => String(field).padStart(3, "0"));
  const table = new FieldsReader(sets.part(rows, names).chunks[Symbol.iterator]().next().value as Uint8Array);
  return {
    refs: memories.u32(refs),
    count: occurrences.length,
    rows,
    sets: sets.count,
    fields,
    setOffsets: memories.put(table.setOffsets),
    setFields: memories.put(table.setFields),
    occurrences,
  };
}

function bytesOf(log: NumberLog): Uint8Array {
  return new Uint8Array(Buffer.concat([...log.chunks()]));
}

/** Three numbers and the offset behind them. */
function varints(bytes: Uint8Array, from: number): [number, number, number, number] {
  let at = from;
  const next = (): number => {
    const byte = bytes[at++]!;
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * next();
  };
  return [next(), next(), next(), at];
}

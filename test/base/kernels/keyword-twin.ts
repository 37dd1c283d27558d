/**
 * The kernels of keyword search once more, in the plainest way: what tests hold the compiled ones against. Nothing else
 * uses them, and they share no code or cleverness with the kernels.
 */
import type { BitKernels, KeywordKernels } from "../../../src/base/kernels/keyword/kernels.ts";
import { planeTwin } from "./keyword-twin-planes.ts";
import { summaryTwin } from "./keyword-twin-summaries.ts";
import { tableTwin, wordTwin } from "./keyword-twin-words.ts";

/** The numbers in a memory, by address. */
export class Views {
  readonly u8: Uint8Array;
  readonly #data: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.u8 = new Uint8Array(memory.buffer);
    this.#data = new DataView(memory.buffer);
  }

  u16(at: number, i: number): number {
    return this.#data.getUint16(at + 2 * i, true);
  }

  setU16(at: number, i: number, value: number): void {
    this.#data.setUint16(at + 2 * i, value, true);
  }

  u32(at: number, i: number): number {
    return this.#data.getUint32(at + 4 * i, true);
  }

  setU32(at: number, i: number, value: number): void {
    this.#data.setUint32(at + 4 * i, value, true);
  }

  list(at: number, n: number): number[] {
    return Array.from({ length: n }, (_, i) => this.u32(at, i));
  }

  /** The values from one place to before another. */
  span(at: number, from: number, to: number): number[] {
    return this.list(at + 4 * from, to - from);
  }

  setList(at: number, values: readonly number[]): void {
    for (const [i, value] of values.entries()) this.setU32(at, i, value);
  }

  has(bits: number, row: number): boolean {
    return (this.u8[bits + (row >>> 3)]! & (1 << (row & 7))) !== 0;
  }

  add(bits: number, row: number): void {
    this.u8[bits + (row >>> 3)]! |= 1 << (row & 7);
  }

  rowsOf(bits: number, bytes: number): number[] {
    const rows: number[] = [];
    for (let row = 0; row < bytes * 8; row++) if (this.has(bits, row)) rows.push(row);
    return rows;
  }
}

export function keywordTwin(memory: WebAssembly.Memory): KeywordKernels {
  const views = new Views(memory);
  return { ...bitTwin(views), ...wordTwin(views), ...tableTwin(views), ...planeTwin(views), ...summaryTwin(views) };
}

function bitTwin(views: Views): BitKernels {
  const { u8 } = views;
  const combine = (out: number, bytes: number, byteAt: (i: number) => number): void => {
    for (let i = 0; i < bytes; i++) u8[out + i] = byteAt(i);
  };
  return {
    bitsAnd: (out, a, b, bytes) => combine(out, bytes, (i) => u8[a + i]! & u8[b + i]!),
    bitsOr: (out, a, b, bytes) => combine(out, bytes, (i) => u8[a + i]! | u8[b + i]!),
    bitsAndNot: (out, a, b, bytes) => combine(out, bytes, (i) => u8[a + i]! & ~u8[b + i]!),
    bitsOrAnd: (out, a, b, bytes) => combine(out, bytes, (i) => u8[out + i]! | (u8[a + i]! & u8[b + i]!)),
    bitsCount: (a, bytes) => views.rowsOf(a, bytes).length,
    bitsCountAnd: (a, b, bytes) => views.rowsOf(a, bytes).filter((row) => views.has(b, row)).length,
    bitsAny: (a, bytes) => (views.rowsOf(a, bytes).length > 0 ? 1 : 0),
    bitsAnyAnd: (a, b, bytes) => (views.rowsOf(a, bytes).some((row) => views.has(b, row)) ? 1 : 0),
    bitsList(a, bytes, list) {
      const rows = views.rowsOf(a, bytes);
      views.setList(list, rows);
      return rows.length;
    },
    bitsRanks(a, bytes, ranks) {
      const rows = views.rowsOf(a, bytes);
      for (let i = 0; i < bytes / 8; i++) views.setU32(ranks, i, rows.filter((row) => row < i * 64).length);
      return rows.length;
    },
    listBits(list, n, bits) {
      for (const row of views.list(list, n)) views.add(bits, row);
    },
    fill: (at, bytes, byte) => combine(at, bytes, () => byte),
  };
}

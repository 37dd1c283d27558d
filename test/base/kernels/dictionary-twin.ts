/**
 * The kernels over a vocabulary once more, in the plainest way: every term is unpacked and compared. What tests hold the
 * compiled ones against; nothing else uses them, and they share no code or cleverness with the kernels.
 */
import { Buffer } from "node:buffer";
import { FuzzyWord, NO_LETTER } from "../../../src/base/kernels/dictionary/generated/layout.ts";
import type { DictionaryKernels } from "../../../src/base/kernels/dictionary/kernels.ts";

const TERMS_PER_BLOCK = 16;
const BLOCK_BYTES = 16;

export function dictionaryTwin(memory: WebAssembly.Memory): DictionaryKernels {
  const bytes = Buffer.from(memory.buffer as unknown as ArrayBuffer);
  const termsOf = (struct: number, to: number): Buffer[] => {
    const [text, blocks] = read(struct, 2) as [number, number];
    return unpack(bytes, text, blocks, to);
  };
  const keyAt = (key: number, length: number): Buffer => bytes.subarray(key, key + length);
  const write = (at: number, values: readonly number[]): void => {
    for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, at + 4 * i);
  };
  const read = (at: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => bytes.readUInt32LE(at + 4 * i));

  return {
    blockKeys: (packed, count, out) => {
      for (const [ordinal, term] of termsOf(packed, count).entries()) {
        if (ordinal % TERMS_PER_BLOCK !== 0) continue;
        const padded = Buffer.concat([term, Buffer.alloc(8)]);
        bytes.writeBigUInt64LE(padded.readBigUInt64BE(0), out + (ordinal / TERMS_PER_BLOCK) * 8);
      }
    },
    termText: (packed, ordinal, out) => termsOf(packed, ordinal + 1)[ordinal]!.copy(bytes, out),
    termFind: (packed, _from, to, key, length) =>
      termsOf(packed, to).findIndex((term) => term.equals(keyAt(key, length))),
    termBound: (packed, from, to, key, length, after) => {
      const wanted = keyAt(key, length);
      const isReached = (term: Buffer): boolean =>
        Buffer.compare(term, wanted) >= 0 && (after === 0 || !beginsWith(term, wanted));
      const found = termsOf(packed, to).findIndex((term, i) => i >= from && isReached(term));
      return found === -1 ? to : found;
    },
    termCuts: (packed, to, key, length, out) => {
      const terms = termsOf(packed, to).map((term) => term.toString());
      const letters = [...keyAt(key, length).toString()];
      for (let cut = 1; cut < letters.length; cut++) {
        const halves = [letters.slice(0, cut), letters.slice(cut)].map((half) => terms.indexOf(half.join("")) >>> 0);
        write(out + 8 * (cut - 1), halves);
      }
      return letters.length - 1;
    },
    termsAfterFirst: (packed, ranges, n, key, length, isPrefix, _scratch, out) => {
      const rest = keyAt(key, length).toString();
      const pairs: number[] = [];
      for (let i = 0; i < n; i++) {
        const [from, to] = read(ranges + 8 * i, 2) as [number, number];
        const goesOn = termsOf(packed, to).map((term) => {
          const end = [...term.toString()].slice(1).join("");
          return isPrefix === 1 ? end.startsWith(rest) : end === rest;
        });
        const found = goesOn.map((is, ordinal) => (is ? ordinal : -1)).filter((ordinal) => ordinal >= from);
        if (found.length > 0) pairs.push(found[0]!, found.at(-1)! + 1);
      }
      write(out, pairs);
      return pairs.length / 2;
    },
    termBranches: (packed, from, to, _scratch, starts, seconds, capacity) => {
      const letters = termsOf(packed, to).map((term) => [...term.toString()]);
      const isNew = (ordinal: number): boolean =>
        ordinal === from ||
        letters[ordinal]![0] !== letters[ordinal - 1]![0] ||
        letters[ordinal]![1] !== letters[ordinal - 1]![1];
      const found = letters.map((_, ordinal) => ordinal).filter((ordinal) => ordinal >= from && isNew(ordinal));
      const taken = found.slice(0, capacity);
      write(starts, [...taken, found[capacity] ?? to]);
      write(
        seconds,
        taken.map((ordinal) => letters[ordinal]![1]?.codePointAt(0) ?? NO_LETTER),
      );
      return taken.length;
    },
    termsNear: (packed, from, to, asked, _scratch, _steps, out, capacity) => {
      const struct = read(asked, FuzzyWord.WORDS);
      const word = read(struct[FuzzyWord.letters]!, struct[FuzzyWord.letterCount]!);
      const limit = struct[FuzzyWord.limit]!;
      const isPrefix = struct[FuzzyWord.isPrefix]!;
      const found: number[] = [];
      const terms = termsOf(packed, to);
      let ordinal = from;
      for (; ordinal < to && found.length < 3 * capacity; ordinal++) {
        const term = Array.from(terms[ordinal]!.toString(), (letter) => letter.codePointAt(0)!);
        const distance = isPrefix === 1 ? distanceOfBeginning(word, term, limit) : distanceBetween(word, term);
        if (distance > 0 && distance <= limit) found.push(ordinal, ordinal + 1, distance);
      }
      write(out, [ordinal, ...found]);
      return found.length / 3;
    },
  };
}

function unpack(bytes: Buffer, text: number, blocks: number, count: number): Buffer[] {
  const terms: Buffer[] = [];
  let at = 0;
  const next = (): number => bytes[at++]!;
  const varint = (): number => {
    const byte = next();
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * varint();
  };
  const more = (nibble: number): number => (nibble === 15 ? 15 + varint() : nibble);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    let shared = Buffer.alloc(0);
    let length = 0;
    if (ordinal % TERMS_PER_BLOCK === 0) {
      at = text + bytes.readUInt32LE(blocks + (ordinal / TERMS_PER_BLOCK) * BLOCK_BYTES);
      length = varint();
    } else {
      const head = next();
      shared = Buffer.from(terms[ordinal - 1]!.subarray(0, more(head >>> 4)));
      length = more(head & 15) + 1;
    }
    terms.push(Buffer.concat([shared, bytes.subarray(at, at + length)]));
    at += length;
  }
  return terms;
}

function beginsWith(term: Buffer, prefix: Buffer): boolean {
  return term.subarray(0, prefix.length).equals(prefix);
}

/** Letters added, dropped, replaced, and neighbours swapped, to get from one word to the other. */
function distanceBetween(a: readonly number[], b: readonly number[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? table[i - 2]![j - 2]! + 1 : replaced;
      table[i]![j] = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, replaced, swapped);
    }
  }
  return table[a.length]![b.length]!;
}

/** That of the first beginning of a term that is near enough and to which no shorter beginning of the word is nearer. */
function distanceOfBeginning(word: readonly number[], term: readonly number[], limit: number): number {
  for (let length = 0; length <= term.length; length++) {
    const beginning = term.slice(0, length);
    const distance = distanceBetween(word, beginning);
    const isNearest = word.every((_, j) => distanceBetween(word.slice(0, j), beginning) >= distance);
    if (distance <= limit && isNearest) return distance;
  }
  return distanceBetween(word, term);
}

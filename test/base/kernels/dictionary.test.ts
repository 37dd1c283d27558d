/** Looking up and walking packed vocabularies, against unpacking and comparing every term. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import fc from "fast-check";
import { KEY_MARGIN_BYTES, Near, SCRATCH_BYTES, Terms } from "../../../src/base/kernels/dictionary/generated/layout.ts";
import { type DictionaryKernels, dictionaryKernels } from "../../../src/base/kernels/dictionary/kernels.ts";
import { FieldsReader } from "../../../src/storage/segment/fields/reader.ts";
import { TermsReader } from "../../../src/storage/segment/terms/reader.ts";
import { FieldSets } from "../../storage/segment/oracle/numbered-sets.ts";
import { PostingsWriter } from "../../storage/segment/oracle/postings-writer.ts";
import { TermsWriter } from "../../storage/segment/oracle/terms-writer.ts";
import { dictionaryTwin } from "./dictionary-twin.ts";

const PAGES = 16;
const PAGE_BYTES = 65_536;
const OUT_WORDS = 4096;
const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES, shared: true });
const kernels = dictionaryKernels(memory);
const twin = dictionaryTwin(memory);
const u32 = new Uint32Array(memory.buffer);
const u8 = new Uint8Array(memory.buffer);

let end = 0;
function put(bytes: Uint8Array): number {
  const at = room(bytes.length);
  u8.set(bytes, at);
  return at;
}

function room(bytes: number): number {
  const at = end;
  end += Math.ceil(bytes / 16) * 16;
  assert.ok(end <= PAGES * PAGE_BYTES, "the memory of this test is too small");
  return at;
}

interface Packed {
  terms: Buffer[];
  /** Address of the struct that kernels know them by. */
  struct: number;
  scratch: number;
  out: number;
}

/** Packs words as segments do, two of three times with keys. */
function pack(words: readonly string[]): Packed {
  u8.fill(0xee);
  end = 4096;
  const terms = [...new Set(words)].map((word) => Buffer.from(word)).sort(Buffer.compare);
  const sets = new FieldSets(1);
  sets.setOf(0);
  const writer = new TermsWriter(new PostingsWriter(1, sets));
  for (const term of terms) writer.add(term, 0, term.length, Uint32Array.of(0, 0), 0, 1);
  const fields = new FieldsReader(Buffer.concat([...sets.part(1, ["text"]).chunks]));
  const reader = new TermsReader(new Uint8Array(Buffer.concat([...writer.part().chunks])), fields);
  const text = put(reader.text);
  const blocks = put(new Uint8Array(reader.blocks.slice().buffer));
  const keys = room(Math.ceil(terms.length / 16) * 8);
  const struct = putWords([text, blocks, 0]);
  if (words.length % 3 !== 0) {
    kernels.blockKeys(struct, terms.length, keys);
    u32[(struct >>> 2) + Terms.keys] = keys;
  }
  return { terms, struct, scratch: room(SCRATCH_BYTES), out: room(OUT_WORDS * 4) };
}

const asciiLetter = fc.constantFrom("a", "b", "c");
const anyLetter = fc.constantFrom("a", "b", "\u0000", "é", "è", "д", "е", "本", "木", "😀", "😁");
const spelled = (letter: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(letter, { minLength: 1, maxLength }).map((letters) => letters.join(""));
const longWord = fc
  .tuple(fc.constantFrom(12, 20, 40, 140), spelled(asciiLetter, 5))
  .map(([length, tail]) => `b${"a".repeat(length)}${tail}`);
const word = fc.oneof(spelled(asciiLetter, 7), spelled(anyLetter, 6), longWord);
const vocabulary = fc.uniqueArray(word, { minLength: 1, maxLength: 150 });
/** A word of the vocabulary, cut and changed a little, or any. */
const asked = fc.record({ any: word, pick: fc.nat(), cut: fc.nat(), mode: fc.constantFrom("any", "known", "begun") });

function askedOf(
  { terms }: Packed,
  { any, pick, cut, mode }: typeof asked extends fc.Arbitrary<infer Of> ? Of : never,
) {
  if (mode === "any") return any;
  const known = [...terms[pick % terms.length]!.toString()];
  return (mode === "known" ? known : known.slice(0, 1 + (cut % known.length))).join("");
}

const codePoints = (text: string): number[] => Array.from(text, (letter) => letter.codePointAt(0)!);
const putWords = (values: readonly number[]): number => put(new Uint8Array(Uint32Array.from(values).buffer));
const wordsAt = (at: number, count: number): number[] => [...u32.subarray(at >>> 2, (at >>> 2) + count)];

describe("terms", () => {
  test("are read by ordinal", () => {
    fc.assert(
      fc.property(vocabulary, (words) => {
        const { terms, struct, out } = pack(words);
        for (const [ordinal, term] of terms.entries()) {
          for (const of of [kernels, twin]) {
            const length = of.termText(struct, ordinal, out);
            assert.deepEqual(Buffer.from(u8.slice(out, out + length)), term);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("are found, and where they would be", () => {
    fc.assert(
      fc.property(vocabulary, fc.array(asked, { minLength: 5, maxLength: 5 }), (words, questions) => {
        const packed = pack(words);
        const { terms, struct, out } = packed;
        const to = terms.length;
        for (const question of questions) {
          const bytes = Buffer.from(askedOf(packed, question));
          const key = put(bytes);
          const [found, same] = [kernels, twin].map((of) => of.termFind(struct, 0, to, key, bytes.length));
          assert.equal(found, same);
          const [cuts, sameCuts] = [kernels, twin].map((of) => {
            const count = of.termCuts(struct, to, key, bytes.length, out);
            return [...u32.slice(out >>> 2, (out >>> 2) + count * 2)];
          });
          assert.deepEqual(cuts, sameCuts);
          for (const after of [0, 1]) {
            const bound = (of: DictionaryKernels, from: number) =>
              of.termBound(struct, from, to, key, bytes.length, after);
            const place = bound(twin, 0);
            assert.equal(bound(kernels, 0), place);
            assert.equal(bound(kernels, Math.floor(place / 2)), place);
            assert.equal(bound(kernels, place), place);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test("are parted by their first two letters", () => {
    fc.assert(
      fc.property(vocabulary, fc.constantFrom(1, 3, 1000), (words, capacity) => {
        const { terms, struct, scratch, out } = pack(words);
        const seconds = out + 8192;
        const all = (of: DictionaryKernels): number[] => {
          const found: number[] = [];
          for (let from = 0; from < terms.length; ) {
            const n = of.termBranches(struct, from, terms.length, scratch, out, seconds, capacity);
            found.push(...wordsAt(out, n), ...wordsAt(seconds, n));
            from = wordsAt(out, n + 1)[n]!;
          }
          return found;
        };
        assert.deepEqual(all(kernels), all(twin));
      }),
      { numRuns: 80 },
    );
  });

  test("are found by what follows their first letter", () => {
    fc.assert(
      fc.property(vocabulary, asked, fc.constantFrom(0, 1), (words, question, isPrefix) => {
        const packed = pack(words);
        const { terms, struct, scratch, out } = packed;
        const firsts = terms.map((term) => [...term.toString()][0]);
        const starts = firsts.map((_, i) => i).filter((i) => i === 0 || firsts[i] !== firsts[i - 1]);
        const n = starts.length;
        const ranges = putWords(starts.flatMap((from, i) => [from, starts[i + 1] ?? terms.length]));
        const rest = Buffer.from([...askedOf(packed, question)].slice(1).join(""));
        const key = put(Buffer.concat([Buffer.alloc(KEY_MARGIN_BYTES), rest])) + KEY_MARGIN_BYTES;
        const found = (of: DictionaryKernels): number[] => {
          const count = of.termsAfterFirst(struct, ranges, n, key, rest.length, isPrefix, scratch, out);
          return wordsAt(out, count * 2);
        };
        assert.deepEqual(found(kernels), found(twin));
      }),
      { numRuns: 150 },
    );
  });

  test("near a word are found, in one go or several", () => {
    const shape = fc.record({
      words: vocabulary,
      question: asked,
      limit: fc.constantFrom(1, 2),
      isPrefix: fc.constantFrom(0, 1),
      steps: fc.constantFrom(1, 7, 10_000),
      capacity: fc.constantFrom(1, 4, 1000),
    });
    fc.assert(
      fc.property(shape, ({ words, question, limit, isPrefix, steps, capacity }) => {
        const packed = pack(words);
        const { terms, struct, scratch, out } = packed;
        const letters = codePoints(askedOf(packed, question)).slice(0, 40);
        const first = Buffer.from(String.fromCodePoint(letters[0]!));
        const key = put(first);
        const [from, to] = [0, 1].map((after) =>
          kernels.termBound(struct, 0, terms.length, key, first.length, after),
        ) as [number, number];
        // In the order of the fields of a `FuzzyWord`.
        const word = putWords([putWords(letters), letters.length, limit, isPrefix]);
        const near = (of: DictionaryKernels): number[][] => {
          const found: number[][] = [];
          for (let next = from; next < to; ) {
            const n = of.termsNear(struct, next, to, word, scratch, steps, out, capacity);
            next = u32[out >>> 2]!;
            for (let i = 0; i < n; i++) {
              const [start, behind, distance] = wordsAt(out + 4 + 4 * Near.WORDS * i, Near.WORDS) as [
                number,
                number,
                number,
              ];
              for (let ordinal = start; ordinal < behind; ordinal++) found.push([ordinal, distance]);
            }
          }
          return found;
        };
        assert.deepEqual(near(kernels), near(twin));
      }),
      { numRuns: 300 },
    );
  });
});

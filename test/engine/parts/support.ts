/** Asks an index in parts, and sets the answer against that of the whole. */
import assert from "node:assert/strict";
import { partsOf } from "../../../src/engine/parts/divide.ts";
import { LocalPart, type Part, type Question } from "../../../src/engine/parts/part.ts";
import { rankInParts } from "../../../src/engine/parts/search.ts";
import type { KeywordRequest } from "../../../src/engine/rank/request.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { shown } from "../rank/questions.ts";
import { ask, BLANK } from "../rank/support.ts";

/** How often each property is tried. */
export const RUNS = Number(process.env["SABRE_PARTS_RUNS"] ?? 40);

export const COUNTS = [1, 2, 3, 7];

export function assertSame(view: IndexView, asked: Partial<KeywordRequest>, counts: readonly number[] = COUNTS): void {
  const wantDetails = asked.wantDetails ?? true;
  const universe = view.segments.map(({ live }) => live);
  const expected = plain(shown(view, ask(view, asked), wantDetails));
  for (const count of counts) {
    const parts = partsOf(view, count);
    const open = (question: Question): Part[] => parts.map((part) => sent(new LocalPart(part, universe, question)));
    const found = rankInParts(view, open, { ...BLANK, ...asked });
    const { vector: _, ...told } = asked;
    assert.deepEqual(plain(shown(view, found, wantDetails)), expected, `${count} parts: ${JSON.stringify(told)}`);
  }
}

/** The part behind a wire: all that is said is written and read again. */
function sent(part: Part): Part {
  return {
    words: (terms) => plain(part.words(plain(terms))),
    rank: (terms, known, script) => plain(part.rank(plain(terms), plain(known), plain(script))),
    get candidates() {
      return part.candidates;
    },
  };
}

/** As JSON brings it; numbers in a row are a list, however they are kept. */
function plain<Value>(value: Value): Value {
  const listed = (_key: string, member: unknown): unknown =>
    ArrayBuffer.isView(member) ? Array.from(member as Float32Array) : member;
  return JSON.parse(JSON.stringify(value, listed)) as Value;
}

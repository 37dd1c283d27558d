import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SOFT_SPAN, TokenSpans, WORD_SPAN } from "../../../src/base/text/spans.ts";
import type { Match } from "../../../src/engine/answer/format/matches.ts";
import { cropWindow } from "../../../src/engine/answer/format/window.ts";

interface Place {
  gap: number;
  length: number;
  first: number;
  more: number;
}

/** A text of words of one letter each, some of which a query stands for: after a gap of others, over so many. */
function textOf(places: readonly Place[], tail: number): { text: string; tokens: TokenSpans; matches: Match[] } {
  const matches: Match[] = [];
  let word = 0;
  for (const { gap, length, first, more } of places) {
    word += gap;
    matches.push({
      firstWord: word,
      lastWord: word + length - 1,
      firstToken: word * 2,
      lastToken: (word + length - 1) * 2,
      start: word * 2,
      end: (word + length) * 2 - 1,
      units: length * 2 - 1,
      span: { first, last: first + more },
    });
    word += length;
  }
  const words = word + tail;
  const text = "x ".repeat(words);
  const tokens = new TokenSpans();
  tokens.reset(text);
  for (let at = 0; at < words; at++) {
    tokens.addPlain(at * 2, at * 2 + 1, WORD_SPAN);
    tokens.addPlain(at * 2 + 1, at * 2 + 2, SOFT_SPAN);
  }
  return { text, tokens, matches };
}

/** Worth of a run, counted from its matches: places of the query, how near they are, how much they are in its order. */
function worthOf(run: readonly Match[]): number[] {
  const places = new Set<number>();
  let closeness = 0;
  let order = 0;
  run.forEach((match, i) => {
    for (let place = match.span!.first; place <= match.span!.last; place++) places.add(place);
    const next = run[i + 1];
    if (next !== undefined) {
      closeness -= Math.min(7, next.firstWord - match.lastWord);
      if (next.span!.first > match.span!.first) order++;
    }
    closeness -= match.lastWord - match.firstWord;
    order += match.lastWord - match.firstWord;
  });
  return [places.size, closeness, order];
}

const isMore = (a: readonly number[], b: readonly number[]): boolean => {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at]! > b[at]!;
};

const place = fc.record({
  gap: fc.nat(9),
  length: fc.integer({ min: 1, max: 2 }),
  first: fc.nat(3),
  more: fc.nat(1),
});

test("a window holds the run of matches that is worth most of those that fit", () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), fc.integer({ min: 3, max: 40 }), (places, words) => {
      const { text, tokens, matches } = textOf(places, 3);
      let best: Match[] = [];
      // All that fit and cannot be longer.
      matches.forEach((first, from) => {
        const run = matches.slice(from).filter(({ lastWord }) => lastWord - first.firstWord < words);
        const isPart = from > 0 && run.at(-1)!.lastWord - matches[from - 1]!.firstWord < words;
        if (!isPart && (best.length === 0 || isMore(worthOf(run), worthOf(best)))) best = run;
      });
      const window = cropWindow(text, tokens, matches, words);
      assert.ok(window.start <= best[0]!.start && window.end >= best.at(-1)!.end, JSON.stringify({ window, best }));
    }),
  );
});

test("a long window in a long text full of matches is found in moments", () => {
  const places = Array.from({ length: 200_000 }, (_, i) => ({ gap: 0, length: 1, first: i % 2, more: 0 }));
  const { text, tokens, matches } = textOf(places, 0);
  const before = process.cpuUsage();
  const { start, end } = cropWindow(text, tokens, matches, 100_000);
  const { user, system } = process.cpuUsage(before);
  assert.equal(text.slice(start, end).split("x").length - 1, 100_000);
  // Counted anew for each of a hundred thousand runs it takes minutes.
  assert.ok(user + system < 5e6, `${(user + system) / 1e6} s of work`);
});

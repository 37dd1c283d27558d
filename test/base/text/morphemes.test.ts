// Japanese and Korean words, cut by our own analyser.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { segmentJapanese, segmentKorean } from "../../../src/base/text/morphemes.ts";
import type { Segmenter } from "../../../src/base/text/segmenter.ts";

suite("Japanese", () => {
  test("takes the cheapest sequence of words", () => {
    assert.equal(cut(segmentJapanese, "すもももももももものうち"), "すもも|も|もも|も|もも|の|うち");
    assert.equal(cut(segmentJapanese, "東京特許許可局"), "東京|特許|許可|局");
    assert.equal(cut(segmentJapanese, "三百二十一円"), "三|百|二|十|一|円");
  });

  test("cuts compounds in their parts, save at the end of a text", () => {
    assert.equal(cut(segmentJapanese, "関西国際空港限定"), "関西|国際|空港|限定");
    assert.equal(cut(segmentJapanese, "関西国際空港"), "関西国際空港");
  });

  test("keeps unknown characters of one kind together", () => {
    assert.equal(cut(segmentJapanese, "フロイデンシュタットラーが"), "フロイデンシュタットラー|が");
    assert.equal(cut(segmentJapanese, "abc123あ"), "abc|123|あ");
    assert.equal(cut(segmentJapanese, "😀😀笑う"), "😀😀|笑う");
  });

  test("starts afresh after a comma or full stop", () => {
    assert.equal(cut(segmentJapanese, "行こう、海へ。"), "行こ|う|、|海|へ|。");
  });

  test("knows characters beyond 16 bits", () => {
    assert.equal(cut(segmentJapanese, "𠮷野家で食べる"), "𠮷|野家|で|食べる");
  });
});

suite("Korean", () => {
  test("takes the cheapest sequence of words", () => {
    assert.equal(cut(segmentKorean, "한국어의형태해석"), "한국어|의|형태|해석");
    assert.equal(cut(segmentKorean, "아버지가방에들어가신다"), "아버지|가|방|에|들어가|신다");
    assert.equal(cut(segmentKorean, "김치찌개를먹었습니다"), "김치찌개|를|먹|었|습니다");
    assert.equal(cut(segmentKorean, "컴퓨터프로그래밍언어"), "컴퓨터|프로그래밍|언어");
  });

  test("does not know 이 as a word of its own", () => {
    assert.equal(cut(segmentKorean, "파일이"), "파|일이");
  });

  test("tells letters, digits and syllables apart", () => {
    assert.equal(cut(segmentKorean, "ＡＢＣ１２３"), "ＡＢＣ|１２３");
    assert.equal(cut(segmentKorean, "漢字三百二十"), "漢字|三百二十");
  });
});

suite("Any text", () => {
  for (const [language, segmenter] of [
    ["Japanese", segmentJapanese],
    ["Korean", segmentKorean],
  ] as const) {
    test(`is covered by its ${language} words, in order`, () => {
      const unit = fc.oneof(
        fc.integer({ min: 0x3040, max: 0x30ff }),
        fc.integer({ min: 0x4e00, max: 0x9fff }),
        fc.integer({ min: 0xac00, max: 0xd7a3 }),
        fc.integer({ min: 0, max: 0xffff }),
      );
      fc.assert(
        fc.property(fc.array(unit, { maxLength: 40 }), fc.nat(3), (units, before) => {
          const text = String.fromCharCode(...new Array(before).fill(0x61), ...units);
          assert.equal(words(segmenter, text, before).join(""), text.slice(before));
        }),
      );
    });

    test(`may be long and without separators (${language})`, () => {
      for (const piece of ["ー", "한", "国", "😀", "一"]) {
        const text = piece.repeat(30_000);
        assert.equal(words(segmenter, text, 0).join(""), text);
      }
    });
  }
});

function cut(segmenter: Segmenter, text: string): string {
  return words(segmenter, text, 0).join("|");
}

/** The words of a text from `start` on; none is empty. */
function words(segmenter: Segmenter, text: string, start: number): string[] {
  const cuts: number[] = [];
  if (start < text.length) segmenter(text, start, text.length, cuts);
  return cuts.map((end, index) => {
    const from = cuts[index - 1] ?? start;
    assert.ok(from < end);
    return text.slice(from, end);
  });
}

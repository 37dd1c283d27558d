// Languages whose words are not told apart by separators, and how the language is found.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Locales } from "../../../src/base/text/token.ts";
import { createTokenizer } from "../../../src/base/text/tokenizer.ts";

const tokenizer = createTokenizer();

function lemmas(text: string, locales: Locales = null): string[] {
  return tokenizer
    .tokenize(text, locales)
    .filter(({ kind }) => kind === "word")
    .map(({ lemma }) => lemma.normalize("NFC"));
}

suite("Chinese", () => {
  test("takes the most probable words and cuts long ones again", () => {
    assert.deepEqual(lemmas("中华人民共和国"), ["中華", "人民", "共和", "國"]);
    assert.deepEqual(lemmas("北京大学生"), ["北京", "大學", "生"]);
    assert.deepEqual(lemmas("恶作剧"), ["惡作劇"]);
  });

  test("keeps letters and digits between its characters together", () => {
    assert.deepEqual(lemmas("第2024号"), ["第", "2024", "号"]);
  });

  test("unites simplified and traditional spelling", () => {
    assert.deepEqual(lemmas("国"), lemmas("國"));
  });
});

suite("Thai and Khmer", () => {
  test("take the longest word of the list, else one character", () => {
    assert.deepEqual(lemmas("ภาษาไทย"), ["ภาษาไทย"]);
    assert.deepEqual(lemmas("สวัสดีครับ"), ["สวสด", "ครบ"]);
    assert.deepEqual(lemmas("សួស្តីពិភពលោក"), ["សួស្តី", "ពិភពលោក"]);
  });

  test("need no locale and ignore one", () => {
    assert.deepEqual(lemmas("สวัสดีครับ", ["eng"]), lemmas("สวัสดีครับ"));
  });
});

suite("German", () => {
  test("splits compounds only when the language is known", () => {
    assert.deepEqual(lemmas("Fußball", ["deu"]), ["fuß", "ball"]);
    assert.deepEqual(lemmas("Fußball", ["de"]), ["fuß", "ball"]);
    assert.deepEqual(lemmas("Fußball"), ["fußball"]);
    assert.deepEqual(lemmas("Fußball", ["fra"]), ["fußball"]);
  });

  test("keeps together what is no known part", () => {
    assert.deepEqual(lemmas("fährt", ["deu"]), ["fahr", "t"]);
    assert.deepEqual(lemmas("xqzBall", ["deu"]), ["xqz", "ball"]);
  });

  test("is chosen among several locales by its letters and their order", () => {
    const german = "Die Würde des Menschen ist unantastbar und der Fußballverein";
    const english = "All human beings are born free and equal in dignity, Handball included";
    assert.ok(lemmas(german, ["deu", "eng"]).includes("ball"));
    assert.ok(!lemmas(english, ["deu", "eng"]).includes("ball"));
  });
});

suite("Swedish", () => {
  test("keeps its own letters", () => {
    assert.deepEqual(lemmas("Träd åéö", ["swe"]), ["träd", "åeö"]);
    assert.deepEqual(lemmas("Träd åéö"), ["trad", "aeo"]);
  });
});

suite("Arabic script", () => {
  test("cuts the article off and unites spellings", () => {
    assert.deepEqual(lemmas("الكتاب"), ["ال", "كتاب"]);
    assert.deepEqual(lemmas("ٱلحمــــــد", ["ara"]), ["ال", "حمد"]);
    assert.deepEqual(lemmas("ال"), ["ال"]);
  });

  test("follows the rules of Persian when it is Persian", () => {
    assert.deepEqual(lemmas("كتاب", ["pes"]), ["کتاب"]);
    assert.deepEqual(lemmas("۱۲۳", ["fa"]), ["123"]);
    assert.deepEqual(lemmas("همهٔ افراد بشر آزاد به دنیا می‌آیند و حیثیت و حقوقشان با هم برابر است ۱۲").at(-1), "12");
  });

  test("leaves the article on in Urdu", () => {
    assert.deepEqual(lemmas("الکتاب", ["urd"]), ["الکتاب"]);
  });
});

suite("a foreign locale", () => {
  test("switches the segmenter of Han off, and an empty list means Japanese", () => {
    assert.deepEqual(lemmas("中华人民", ["deu"]), ["中华人民"]);
    assert.notDeepEqual(lemmas("我们", []), lemmas("我们"));
  });
});

suite("Japanese", () => {
  test("is cut in morphemes, katakana read as hiragana", () => {
    assert.deepEqual(lemmas("すもももももももものうち"), ["すもも", "も", "もも", "も", "もも", "の", "うち"]);
    assert.deepEqual(lemmas("東京タワー"), ["東京", "たわあ"]);
  });
});

suite("Korean", () => {
  test("is cut in morphemes", () => {
    assert.deepEqual(lemmas("한국어의형태해석"), ["한국어", "의", "형태", "해석"]);
  });
});

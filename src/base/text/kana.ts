/** Katakana to hiragana, so that both spellings of a Japanese word are one. Romaji and kanji stay as they are. */

const KATAKANA_TO_HIRAGANA = 0x3041 - 0x30a1;
const LONG_VOWEL_MARK = 0x30fc;
/** Small ka and ke are counters rather than sounds, and stay. */
const SMALL_KA = 0x30f5;
const SMALL_KE = 0x30f6;

/** Hiragana of each vowel row, by the vowel that ends the kana before a long vowel mark (トート becomes とうと). */
const ROWS: [kana: string, vowel: string][] = [
  ["あぁかさたなはまやゃらわゎ", "あ"],
  ["いぃきしちにひみりゐ", "い"],
  ["うぅくすつぬふむゆゅる", "う"],
  ["えぇけせてねへめれゑ", "え"],
  ["おぉこそとのほもよょろを", "う"],
  ["ん", ""],
];
const VOWEL_OF = new Map(ROWS.flatMap(([kana, vowel]) => [...kana].map((sign): [string, string] => [sign, vowel])));

export function toHiragana(text: string): string {
  let result = "";
  let previous = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LONG_VOWEL_MARK) {
      result += VOWEL_OF.get(previous) ?? "ー";
    } else if (unit >= 0x30a1 && unit <= 0x30f4) {
      previous = String.fromCharCode(unit + KATAKANA_TO_HIRAGANA);
      result += previous;
    } else {
      if (unit !== SMALL_KA && unit !== SMALL_KE) previous = "";
      result += text[at];
    }
  }
  return result;
}

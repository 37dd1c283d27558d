/**
 * The non-spacing marks (accents, vowel signs) that lossy normalization drops. Plain data: an older Unicode table on
 * purpose, because the marks it lacks are kept in words.
 */
import { lazily } from "./data-files.ts";
import { expandRanges } from "./ranges.ts";

const MARK_RANGES =
  "300-36f 483-487 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8 6ea-6ed 711 730-74a " +
  "7a6-7b0 7eb-7f3 816-819 81b-823 825-827 829-82d 859-85b 8e4-8fe 900-902 93a 93c 93e 941-948 94d 951-957 962-963 " +
  "981 9bc 9c1-9c4 9cd 9e2-9e3 a01-a02 a3c a41-a42 a47-a48 a4b-a4d a51 a70-a71 a75 a81-a82 abc ac1-ac5 ac7-ac8 acd " +
  "ae2-ae3 b01 b3c b3f b41-b44 b4d b56 b62-b63 b82 bc0 bcd c3e-c40 c46-c48 c4a-c4d c55-c56 c62-c63 cbc cbf cc6 " +
  "ccc-ccd ce2-ce3 d41-d44 d4d d62-d63 dca dd2-dd4 dd6 e31 e34-e3a e47-e4e eb1 eb4-eb9 ebb-ebc ec8-ecd f18-f19 f35 " +
  "f37 f39 f71-f7e f80-f84 f86-f87 f8d-f97 f99-fbc fc6 102d-1030 1032-1037 1039-103a 103d-103e 1058-1059 105e-1060 " +
  "1071-1074 1082 1085-1086 108d 109d 135d-135f 1712-1714 1732-1734 1752-1753 1772-1773 17b4-17b5 17b7-17bd 17c6 " +
  "17c9-17d3 17dd 180b-180d 18a9 1920-1922 1927-1928 1932 1939-193b 1a17-1a18 1a56 1a58-1a5e 1a60 1a62 1a65-1a6c " +
  "1a73-1a7c 1a7f 1b00-1b03 1b34 1b36-1b3a 1b3c 1b42 1b6b-1b73 1b80-1b81 1ba2-1ba5 1ba8-1ba9 1bab 1be6 1be8-1be9 " +
  "1bed 1bef-1bf1 1c2c-1c33 1c36-1c37 1cd0-1cd2 1cd4-1ce0 1ce2-1ce8 1ced 1cf4 1dc0-1de6 1dfc-1dff 20d0-20dc 20e1 " +
  "20e5-20f0 2cef-2cf1 2d7f 2de0-2dff 302a-302d 3099-309a a66f a674-a67d a69f a6f0-a6f1 a802 a806 a80b a825-a826 " +
  "a8c4 a8e0-a8f1 a926-a92d a947-a951 a980-a982 a9b3 a9b6-a9b9 a9bc aa29-aa2e aa31-aa32 aa35-aa36 aa43 aa4c aab0 " +
  "aab2-aab4 aab7-aab8 aabe-aabf aac1 aaec-aaed aaf6 abe5 abe8 abed fb1e fe00-fe0f fe20-fe26 101fd 10a01-10a03 " +
  "10a05-10a06 10a0c-10a0f 10a38-10a3a 10a3f 11001 11038-11046 11080-11081 110b3-110b6 110b9-110ba 11100-11102 " +
  "11127-1112b 1112d-11134 11180-11181 111b6-111be 116ab 116ad 116b0-116b5 116b7 16f8f-16f92 1d167-1d169 " +
  "1d17b-1d182 1d185-1d18b 1d1aa-1d1ad 1d242-1d244 e0100-e01ef";

const marks = lazily<ReadonlySet<number>>(() => new Set(expandRanges(MARK_RANGES)));

export function isNonspacingMark(codePoint: number): boolean {
  return codePoint >= 0x300 && marks().has(codePoint);
}

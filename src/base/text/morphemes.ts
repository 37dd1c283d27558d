/** Japanese and Korean words: the cheapest way through the morphemes of a dictionary. */

import { lazily } from "./data-files.ts";
import { tablesOf } from "./dictionaries.ts";
import { Lattice } from "./morpheme-lattice.ts";
import type { Segmenter } from "./segmenter.ts";

const japanese = lazily(() => new Lattice(tablesOf("japanese")));
const korean = lazily(() => new Lattice(tablesOf("korean")));

export const segmentJapanese: Segmenter = (text, start, end, cuts) => japanese().cut(text, start, end, cuts);
export const segmentKorean: Segmenter = (text, start, end, cuts) => korean().cut(text, start, end, cuts);

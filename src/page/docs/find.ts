/** Finds sections of the documentation by words, as they are typed: every word must be somewhere in a section, or begin there. */

/** What it is called, its place on the page, its text. */
type Section = readonly [heading: string, place: string, text: string];
export type SearchedPage = readonly [address: string, title: string, sections: readonly Section[]];

export interface Found {
  address: string;
  title: string;
  heading: string;
  /** Of the text, around the first word that is in it. */
  excerpt: { before: string; match: string; after: string };
}

const FOUND_MAX = 12;
const BEFORE_MAX = 50;
const AFTER_MAX = 110;

/** What a word counts by where it is; at the beginning of a word more than inside. */
const IN_HEADING = 8;
const IN_TITLE = 4;
const IN_TEXT = 2;

export function find(pages: readonly SearchedPage[], query: string): Found[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_$-]+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const found: { score: number; hit: Found }[] = [];
  for (const [address, title, sections] of pages) {
    for (const [heading, place, text] of sections) {
      const score = scoreOf(words, heading, title, text);
      if (score === 0) continue;
      // The first heading of a page is its own.
      const where = heading === title ? address : `${address}#${place}`;
      found.push({ score, hit: { address: where, title, heading, excerpt: excerptOf(text, words) } });
    }
  }
  found.sort((a, b) => b.score - a.score);
  return found.slice(0, FOUND_MAX).map(({ hit }) => hit);
}

/** 0 where a word is missing. */
function scoreOf(words: readonly string[], heading: string, title: string, text: string): number {
  const places = [
    [heading.toLowerCase(), IN_HEADING],
    [title.toLowerCase(), IN_TITLE],
    [text.toLowerCase(), IN_TEXT],
  ] as const;
  let score = 0;
  for (const word of words) {
    const best = Math.max(...places.map(([place, worth]) => (worth * fit(place, word)) / 2));
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

/** 2 where the text has a word that begins like this, 1 where it is inside one, 0 where it is not there. */
function fit(text: string, word: string): 0 | 1 | 2 {
  let at = text.indexOf(word);
  if (at < 0) return 0;
  for (; at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return 2;
  }
  return 1;
}

function excerptOf(text: string, words: readonly string[]): Found["excerpt"] {
  const low = text.toLowerCase();
  const word = words.find((each) => low.includes(each)) ?? "";
  const at = low.indexOf(word);
  const start = Math.max(0, at - BEFORE_MAX);
  const end = at + word.length;
  return {
    before: (start > 0 ? "…" : "") + text.slice(start, at),
    match: text.slice(at, end),
    after: text.slice(end, end + AFTER_MAX) + (text.length > end + AFTER_MAX ? "…" : ""),
  };
}

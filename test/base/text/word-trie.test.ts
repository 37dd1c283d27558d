// The dictionary structure against a plain set of words.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type FrontCoded, WordTrie } from "../../../src/base/text/word-trie.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "中", "😀", "😁"), minLength: 1, maxLength: 6 });
const dictionaries = fc.uniqueArray(letters, { maxLength: 40 }).map((words) => words.sort());

/** As many units are shared as can be without cutting a character in two. */
function coded(words: readonly string[]): FrontCoded {
  const lines = words.map((word, place) => {
    const previous = words[place - 1] ?? "";
    let shared = 0;
    while (shared < Math.min(word.length, previous.length) && word[shared] === previous[shared]) shared++;
    if ((word.charCodeAt(shared) & 0xfc00) === 0xdc00) shared--;
    return String.fromCharCode(0x21 + shared) + word.slice(shared);
  });
  const text = `before\n${lines.join("\n")}\n\nbehind`;
  return { text, start: "before\n".length, end: text.length - "\n\nbehind".length };
}

test("knows exactly its words, and the longest of them at each place", () => {
  fc.assert(
    fc.property(
      dictionaries,
      fc.array(letters).map((parts) => parts.join("")),
      (words, text) => {
        const trie = WordTrie.in(Buffer.from(WordTrie.of(coded(words)).bytes));
        assert.equal(trie.total, words.length);
        const known = new Set(words);
        for (let start = 0; start < text.length; start++) {
          let longest = -1;
          for (let end = start + 1; end <= text.length; end++) {
            const isWord = known.has(text.slice(start, end));
            assert.equal(trie.has(text, start, end), isWord);
            if (isWord) longest = end;
          }
          assert.equal(trie.longest(text, start, text.length), longest);
        }
      },
    ),
  );
});

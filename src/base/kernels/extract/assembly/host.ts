/** What the kernel asks of the thread it runs in: decisions about names, and text that is not read here. */

/** The node under the key `[key, key + length)` of `node`, met for the first time in this spelling. */
export declare function child(node: usize, key: usize, length: u32): usize;

/** The raw JSON of a field that is kept apart: `kind` as the node was given it. */
export declare function apart(kind: u32, row: u32, start: usize, length: u32): void;

/** Words of a value that are not read here: they come back by `placeWord` and `passWord`. Plain values have no language. */
export declare function words(field: usize, start: usize, length: u32, isPlain: u32): void;

/** The same for one run of a script; `state` is the distance of the next word as `runs.ts` packs it, and so is what it returns. */
export declare function run(field: usize, start: usize, length: u32, script: u32, state: u32): u32;

/** What becomes of a piece of text (see `text.ts`); a word is written to the scratch and its length returned above the kind. */
export declare function lemma(start: usize, length: u32, script: u32, language: u32): u32;

/** Writes the normalized form of a value that leaves ASCII to the scratch; returns its length. */
export declare function facet(start: usize, length: u32): u32;

/** Writes to `place` what a character outside ASCII becomes as part of a word of a script. */
export declare function character(codePoint: u32, script: u32, place: usize): void;

/** The number of a combination of top-level fields, given by their numbers. */
export declare function fieldSet(fields: usize, count: u32): u32;

/** Throws: a document has more fields with words than there may be. */
export declare function tooManyFields(): void;

/** What the kernel asks of the thread it runs in. */

/** The node under the key `[key, key + length)` of `node`, as JSON spells it, met for the first time. */
export declare function child(node: usize, key: usize, length: u32): usize;

/** Takes over what the output holds. */
export declare function flush(length: u32): void;

/** Appends the inside of the text `[start, start + length)` of a node as it is to be shown, to what was taken over. */
export declare function text(node: usize, start: usize, length: u32): void;

/** Writes to `place` what words that begin with a character outside ASCII may begin with once they are normalized. */
export declare function beginnings(codePoint: u32, place: usize): void;

/** Writes to `place` what a character outside ASCII becomes as part of a Latin word. */
export declare function character(codePoint: u32, place: usize): void;

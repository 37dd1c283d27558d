/** What the kernel asks of the thread it runs in. */

/** Whether the JSON number `[start, start + length)` is within the range of a double. */
export declare function isFiniteNumber(start: usize, length: u32): u32;

/**
 * What a name at the top of a document, spelled `[start, start + length)` in JSON, stands for: a number below 2^31, and
 * the highest bit for the one that holds the id; all bits set when the host has to look at the document itself.
 */
export declare function nameOf(start: usize, length: u32): u32;

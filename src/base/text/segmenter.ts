/** The one shape all segmenters have. */

/** Pushes the end of every word of `text.slice(start, end)` to `cuts`, in order; the last one is `end`. */
export type Segmenter = (text: string, start: number, end: number, cuts: number[]) => void;

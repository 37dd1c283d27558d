/** Reads the compact notation of our character tables: "41-5a 7f" = every code point from 41 to 5A, and 7F. */

/** Every code point named by the ranges, in the order written. */
export function expandRanges(ranges: string): number[] {
  const codePoints: number[] = [];
  for (const [first, last] of parseRanges(ranges)) {
    for (let codePoint = first; codePoint <= last; codePoint++) codePoints.push(codePoint);
  }
  return codePoints;
}

/** The ranges as inclusive pairs. */
export function parseRanges(ranges: string): [number, number][] {
  return ranges.split(" ").map((range) => {
    const [first, last] = range.split("-");
    return [Number.parseInt(first!, 16), Number.parseInt(last ?? first!, 16)];
  });
}

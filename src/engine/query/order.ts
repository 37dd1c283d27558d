/** The order of words in a vocabulary: that of their UTF-8 bytes, without making the bytes. */

/** Negative when `a` comes before `b`. UTF-16 units order like bytes except for surrogates, which come last in bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) return raised(x) - raised(y);
    return x - y;
  }
  return a.length - b.length;
}

function raised(unit: number): number {
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

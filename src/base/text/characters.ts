/** Characters are code points: what people count when they count letters. */
export function characterCount(text: string, start = 0, end = text.length): number {
  let count = end - start;
  for (let at = start; at < end - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

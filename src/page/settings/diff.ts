/** What changed: which settings, and which lines of each. */

export interface Changed {
  name: string;
  before: unknown;
  after: unknown;
}

interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

type Values = Record<string, unknown>;

/** Those of `after` that are not as in `before`. */
export function changesBetween(before: Values, after: Values): Changed[] {
  return Object.keys(after)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ name, before: before[name], after: after[name] }));
}

export function diffValues(before: unknown, after: unknown): DiffLine[] {
  const linesOf = (value: unknown): string[] => (JSON.stringify(value, null, 2) ?? "").split("\n");
  return diffLines(linesOf(before), linesOf(after));
}

/** The fewest lines that go and come. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i]! });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ kind: "gone", text: before[i++]! });
    } else {
      lines.push({ kind: "new", text: after[j++]! });
    }
  }
  return lines;
}

/** How many lines in a row of both, not necessarily side by side, are the same from each pair of places on. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        before[i] === after[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}

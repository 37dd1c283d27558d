/** Conditions on the vectors of documents: names are checked here, the sets come from the vector side of the server. */

import { Bitmap } from "../../storage/segment/bitmap.ts";
import { fragmentsOf, indexingSide } from "../../storage/settings/generators.ts";
import type { FilterContext } from "./context.ts";
import { type Filter, FilterEvaluationError, type Token } from "./filter.ts";

/** A misspelt name this many edits away is proposed. */
const HINT_EDITS_MAX = 2;

export function evaluateVectors(filter: Extract<Filter, { kind: "vectors" }>, context: FilterContext): Bitmap[] {
  const { embedder, trait } = filter;
  if (embedder !== null) {
    const configuration = Object.hasOwn(context.settings.embedders, embedder.text)
      ? context.settings.embedders[embedder.text]!
      : null;
    if (configuration === null) {
      throw unknownName("embedder", "embedders", embedder, Object.keys(context.settings.embedders));
    }
    if (trait.kind === "fragment") {
      const fragments = fragmentsOf(indexingSide(configuration)["indexingFragments"]).map(({ name }) => name);
      if (!fragments.includes(trait.name.text)) throw unknownName("fragment", "fragments", trait.name, fragments);
    }
  }
  const rows = context.vectors?.(embedder?.text ?? null, trait);
  if (rows === undefined) return context.segments.map((segment) => Bitmap.create(segment.rows));
  return rows.map((own, i) => own.and(context.segments[i]!.live));
}

function unknownName(what: string, plural: string, name: Token, known: string[]): FilterEvaluationError {
  const available =
    known.length === 0
      ? `There are no ${plural}.`
      : `Available ${plural}: ${known
          .toSorted()
          .map((each) => `\`${each}\``)
          .join(", ")}.`;
  const near = known.find((each) => editDistance(each, name.text) <= HINT_EDITS_MAX);
  const hint = near === undefined ? "" : ` Did you mean \`${near}\`?`;
  return new FilterEvaluationError("vectors", `The ${what} \`${name.text}\` does not exist. ${available}${hint}`, name);
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(previous[j]! + 1, current[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      current.push(least);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}

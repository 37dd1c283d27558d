/** Questions as people type them: beginnings of the first words of documents, none of them twice; also those of many customers. */
import { mulberry32 } from "./random.ts";

const WORDS_MAX = 4;
const CHARACTERS_MAX = 30;
const CHARACTERS_MIN = 3;
/** How many of the beginnings of one text are asked. */
const SHARE = 0.4;
/** A corpus that has no more texts to begin is asked no more. */
const FRUITLESS_MAX = 10_000;
const NUMBER_MAX = 1e6;

/** `lines` are documents in JSON; `field` names the text that is typed. */
export function typedQuestions(lines: readonly string[], field: string, count: number): string[] {
  const random = mulberry32(11);
  const asked = new Set<string>();
  for (let fruitless = 0; asked.size < count && fruitless < FRUITLESS_MAX; fruitless++) {
    const before = asked.size;
    const document = JSON.parse(lines[Math.floor(random() * lines.length)]!) as Record<string, unknown>;
    const text = typedText(String(document[field] ?? ""));
    for (let length = CHARACTERS_MIN; length <= text.length; length++) {
      if (random() < SHARE) asked.add(text.slice(0, length));
    }
    if (asked.size > before) fruitless = 0;
  }
  return [...asked].slice(0, count);
}

/**
 * The same as an application with one index for many customers asks it: a filter of its own for each, a value that some document has
 * in `facet` and a bound for `number`, unless that is null; facets; highlighting.
 */
export function tenantsQuestions(
  questions: readonly string[],
  lines: readonly string[],
  facet: string,
  number: string | null,
): Record<string, unknown>[] {
  const random = mulberry32(11);
  return questions.map((q) => {
    const document = JSON.parse(lines[Math.floor(random() * lines.length)]!) as Record<string, unknown>;
    const value = [document[facet]].flat()[0] ?? "none";
    const more = number === null ? "" : ` AND ${number} > ${Math.floor(random() * NUMBER_MAX)}`;
    const filter = `${facet} = ${JSON.stringify(String(value))}${more}`;
    return { q, filter, facets: [facet], attributesToHighlight: ["*"], limit: 10 };
  });
}

function typedText(text: string): string {
  const words = text.replace(/[\]["\\\s]+/g, " ").trim();
  return words.split(" ").slice(0, WORDS_MAX).join(" ").slice(0, CHARACTERS_MAX);
}

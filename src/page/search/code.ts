/** The same search for a terminal and for a program: what to paste. The key itself is never part of it. */
import type { SearchBody } from "./request.ts";

interface Target {
  origin: string;
  index: string;
  hasKey: boolean;
}

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf({ origin, index, hasKey }: Target, body: SearchBody): string {
  const lines = [
    `curl -X POST ${inShell(`${origin}/indexes/${encodeURIComponent(index)}/search`)}`,
    "  -H 'Content-Type: application/json'",
    ...(hasKey ? ['  -H "Authorization: Bearer $MEILI_API_KEY"'] : []),
    `  --data-binary ${inShell(JSON.stringify(body, null, 2))}`,
  ];
  return lines.join(" \\\n");
}

export function clientCodeOf({ origin, index, hasKey }: Target, body: SearchBody): string {
  const { q, ...rest } = body;
  const key = hasKey ? ", apiKey: process.env.MEILI_API_KEY" : "";
  const parameters = Object.keys(rest).length === 0 ? "" : `, ${JSON.stringify(rest, null, 2)}`;
  return [
    'import { Meilisearch } from "meilisearch";',
    "",
    `const client = new Meilisearch({ host: ${JSON.stringify(origin)}${key} });`,
    `const answer = await client.index(${JSON.stringify(index)}).search(${JSON.stringify(q)}${parameters});`,
    "console.log(answer.hits);",
  ].join("\n");
}

/** Documents like a given one, in an index that lies in parts. */
import type { SimilarQuery } from "../../../base/contract/similar.ts";
import { apiError } from "../../../base/errors/errors.ts";
import type { Json } from "../../../base/json/value.ts";
import { similarPage } from "../../semantic/similar.ts";
import type { DividedHit, IndexInParts } from "./index-in-parts.ts";

export function similarInParts(
  index: IndexInParts,
  query: SimilarQuery,
  visible: Json,
): { hits: DividedHit[]; candidates: number } {
  const { embedder, filter, id, limit, offset } = query;
  const found = index.ask("target", { id, embedder, visible }).find(({ answer }) => answer !== null);
  if (found === undefined) throw apiError("not_found_similar_id", `Document \`${id}\` not found.`);
  const { docid: without, vectors } = found.answer!;
  const answers = index.ask("similar", { filter, without, embedder, vectors, most: offset + limit + 1 });
  const count = answers.reduce((sum, { answer }) => sum + answer.count, 0);
  const neighbours = answers.flatMap(({ answer }, segment) =>
    answer.neighbours.map((near) => ({ ...near, segment, row: near.docid, target: vectors[near.target]!, values: [] })),
  );
  neighbours.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
  const page = similarPage(index.view, neighbours, query);
  return { hits: page.hits.map((hit) => ({ ...hit, values: [] })), candidates: page.candidates ?? count };
}

/** What documents of parts have of some fields. */
import type { Json } from "../../../base/json/value.ts";
import type { RankedHit } from "../../rank/result.ts";
import type { IndexInParts } from "./index-in-parts.ts";

/** Of one of the hits; all of them are asked for at once. */
export function valuesInParts(
  index: IndexInParts,
  page: readonly RankedHit[],
  hit: RankedHit,
  fields: readonly string[],
): Json {
  const docids = Array.from({ length: index.count }, (_, part) =>
    page.filter(({ segment }) => segment === part).map(({ docid }) => docid),
  );
  const answers = index.askEach(
    "values",
    docids.map((own) => (own.length === 0 ? null : { docids: own, fields })),
  );
  return answers[hit.segment]!.answer[docids[hit.segment]!.indexOf(hit.docid)]!;
}

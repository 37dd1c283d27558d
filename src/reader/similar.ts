/** Documents like a given one: whether the question can be asked. */
import { apiError } from "../contract/errors.ts";
import type { IndexView } from "../index/view.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { insideIndex, viewOf } from "./search.ts";
import { selectedRows } from "./select.ts";
import type { RequestContext } from "./task.ts";

export function runSimilar(header: ReaderRequests["similar"], context: RequestContext): Uint8Array {
  const { indexUid, query, tenantFilter } = header;
  const view = viewOf(indexUid, context);
  if (!Object.hasOwn(view.settings.embedders, query.embedder)) {
    throw apiError("invalid_similar_embedder", `Cannot find embedder with name \`${query.embedder}\`.`);
  }
  return insideIndex(indexUid, () => {
    selectedRows(view, query.filter, context.snapshot(), "invalid_similar_filter");
    const visible = selectedRows(view, tenantFilter, context.snapshot(), "invalid_similar_filter");
    const target = liveRow(view, query.id);
    if (target === null || !visible[target.segment]!.has(target.row)) {
      throw apiError("not_found_similar_id", `Document \`${query.id}\` not found.`);
    }
    throw apiError("not_found_similar_id", `No vectors of embedder \`${query.embedder}\` can be searched.`);
  });
}

function liveRow(view: IndexView, id: string): { segment: number; row: number } | null {
  for (let segment = 0; segment < view.segments.length; segment++) {
    const { reader, live } = view.segments[segment]!;
    const row = reader.findRow(id);
    if (row !== -1 && live.has(row)) return { segment, row };
  }
  return null;
}

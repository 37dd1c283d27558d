/** How many vectors an index holds, for its statistics. */
import type { IndexView } from "../../storage/index/view.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";

interface EmbeddingCounts {
  numberOfEmbeddings: number;
  numberOfEmbeddedDocuments: number;
}

/** Of documents that are not deleted. */
export function embeddingCounts(view: Pick<IndexView, "segments" | "settings">): EmbeddingCounts {
  const counts = { numberOfEmbeddings: 0, numberOfEmbeddedDocuments: 0 };
  if (Object.keys(view.settings.embedders).length === 0) return counts;
  for (const { reader, live, rows } of view.segments) {
    const embedded = Bitmap.create(rows);
    for (const embedder of reader.vectors?.embedders ?? []) {
      embedder.forEach(live, (slot, row) => {
        embedded.set(row);
        counts.numberOfEmbeddings += embedder.starts[slot + 1]! - embedder.starts[slot]!;
      });
    }
    counts.numberOfEmbeddedDocuments += embedded.count();
  }
  return counts;
}

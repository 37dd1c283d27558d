/**
 * Loads the models on disk that searches of this server's indexes need, ahead of the first of them: loading takes longer
 * than a search may. Whatever goes wrong is told to whoever searches.
 */

import { sourceOf } from "../../base/contract/embedders.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { EmbedClient } from "../../engine/vector/embed/client.ts";
import type { Snapshot } from "../../storage/index/catalog.ts";
import { searchSide } from "../../storage/settings/generators.ts";

export async function warmModels(indexes: { pin(): Snapshot }, embed: Pick<EmbedClient, "dimensions">): Promise<void> {
  const models = new Map<string, { name: string; settings: JsonObject }>();
  const snapshot = indexes.pin();
  try {
    for (const { settings } of snapshot.indexes()) {
      for (const [name, embedder] of Object.entries(settings.embedders)) {
        const side = searchSide(embedder);
        if (sourceOf(side) === "huggingFace") models.set(JSON.stringify(side), { name, settings: side });
      }
    }
  } finally {
    snapshot.release();
  }
  await Promise.allSettled([...models.values()].map((model) => embed.dimensions(model)));
}

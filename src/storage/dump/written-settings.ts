/**
 * The settings of an index as a dump holds them: complete, secrets in clear, and nothing that another server of the
 * interface would not know, since it refuses settings with names it has never heard of.
 */

import { sourceOf } from "../../base/contract/embedders.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import type { Settings } from "../settings/settings.ts";

export function writtenSettings(settings: Settings): JsonObject {
  const { embedderDimensions: _, embedders, ...same } = settings;
  const written = Object.entries(embedders).map(([name, embedder]) => [name, withPooling(embedder)] as const);
  return { ...(same as unknown as JsonObject), embedders: Object.fromEntries(written) };
}

/** Where a dump does not say how a model pools, its vectors are taken for those of an old server, which had one way only. */
function withPooling(embedder: JsonObject): JsonObject {
  const written = { ...embedder };
  for (const part of ["searchEmbedder", "indexingEmbedder"]) {
    const inner: Json | undefined = embedder[part];
    if (inner !== undefined) written[part] = withPooling(inner as JsonObject);
  }
  if (sourceOf(embedder) === "huggingFace") written["pooling"] ??= "useModel";
  return written;
}

/**
 * Models of embedders that servers up to 1.13 had set up were pooled by the mean, whatever the model itself says. A dump of
 * such a server does not tell, so it is written down here: otherwise its vectors would be compared with those of another way.
 */
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";

/** `version` of the server that wrote the dump. Ours began with 0 and never pooled that way. */
export function poolsByMean(version: unknown): boolean {
  const [, minor] = typeof version === "string" ? (/^v?1\.(\d+)\./.exec(version) ?? []) : [];
  return minor !== undefined && Number(minor) <= 13;
}

export function withOldPooling(embedders: Json): Json {
  if (!isObject(embedders)) return embedders;
  return Object.fromEntries(Object.entries(embedders).map(([name, embedder]) => [name, pooledByMean(embedder)]));
}

function pooledByMean(embedder: Json): Json {
  if (!isObject(embedder)) return embedder;
  const pooled: JsonObject = { ...embedder };
  if (embedder["source"] === "huggingFace") pooled["pooling"] ??= "forceMean";
  for (const part of ["searchEmbedder", "indexingEmbedder"]) {
    if (embedder[part] !== undefined) pooled[part] = pooledByMean(embedder[part]);
  }
  return pooled;
}

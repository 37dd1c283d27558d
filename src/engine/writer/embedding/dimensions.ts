/**
 * The sizes of vectors that settings do not tell: found by a trial when an embedder is set up, and kept as long as it is
 * the same. The trial also finds what only a call can find, such as a wrong key.
 */

import { sourceOf } from "../../../base/contract/embedders.ts";
import type { Json, JsonObject } from "../../../base/json/value.ts";
import { dimensionsOf, withEmbedderDefaults } from "../../../storage/settings/embedders.ts";
import { makesVectors } from "../../../storage/settings/generators.ts";
import type { Settings } from "../../../storage/settings/settings.ts";

import type { Work } from "../work.ts";
import { StopSignal } from "./stop-signal.ts";

/** The new settings with all sizes. Rejects when an embedder fails its trial. */
export async function withDimensions(
  work: Pick<Work, "embed" | "requests" | "checkpoint">,
  before: Settings,
  after: Settings,
): Promise<Settings> {
  const asked = Object.keys(after.embedders).filter((name) => needsTrial(after, name));
  const { embedderDimensions: _, ...settings } = after;
  if (asked.length === 0) return before.embedderDimensions === undefined ? after : settings;
  const stop = new StopSignal(work);
  try {
    const sizes = asked.map(async (name) => {
      const known = before.embedderDimensions?.[name];
      const embedder = after.embedders[name]!;
      if (known !== undefined && sameModel(before.embedders[name], embedder)) return [name, known] as const;
      const reference = { name, settings: withEmbedderDefaults(embedder) };
      return [name, await work.embed.dimensions(reference, stop.signal, work.requests)] as const;
    });
    return { ...settings, embedderDimensions: Object.fromEntries(await Promise.all(sizes)) };
  } catch (problem) {
    stop.abort(problem);
    throw problem;
  } finally {
    stop.dispose();
  }
}

function needsTrial({ embedders }: Settings, name: string): boolean {
  const embedder = embedders[name]!;
  if (!makesVectors(embedder)) return false;
  return sourceOf(embedder) === "composite" || dimensionsOf({ embedders }, name) === null;
}

/** What may change without another trial. */
const SECONDARY = new Set([
  "apiKey",
  "headers",
  "distribution",
  "binaryQuantized",
  "documentTemplate",
  "documentTemplateMaxBytes",
]);

function sameModel(before: JsonObject | undefined, after: JsonObject): boolean {
  return before !== undefined && modelText(before) === modelText(after);
}

function modelText(embedder: JsonObject): string {
  return JSON.stringify(embedder, (key, value: Json) => (SECONDARY.has(key) ? undefined : value));
}

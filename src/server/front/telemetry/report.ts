/** What a batch of usage data says of the server: counts, flags and sizes, and nothing that names anything of a user. */

import { sourceOf } from "../../../base/contract/embedders.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { Settings } from "../../../storage/settings/settings.ts";
import { defaultSettings } from "../../../storage/settings/update.ts";
import { SETTING_NAMES } from "../../../storage/settings/view.ts";

import type { RouteTotals } from "../metrics.ts";
import type { Services } from "../services.ts";

/** What does not change while the server runs. */
export interface FixedFacts {
  version: string;
  /** Whether each option was set to something else than its default. */
  options: Record<string, boolean>;
  cores: number;
  memoryBytes: number;
  diskBytes: number;
}

type Sources = Pick<Services, "indexes" | "features" | "webhooks" | "network">;

/** What is true of the server now. */
export function instanceFacts(services: Sources, fixed: FixedFacts, databaseBytes: number): JsonObject {
  const { version, options, cores, memoryBytes, diskBytes } = fixed;
  const { self, remotes } = services.network.current;
  const snapshot = services.indexes.pin();
  try {
    const settings = snapshot.indexes().map((index) => index.settings);
    return {
      version,
      options,
      system: { cores, memoryBytes, diskBytes },
      database: { bytes: databaseBytes, indexes: settings.length },
      settings: settingsUsage(settings),
      embedderSources: embedderSources(settings),
      features: { ...services.features.current },
      network: { isSet: self !== null, remotes: Object.keys(remotes).length },
      webhooks: services.webhooks.list().length,
    };
  } finally {
    snapshot.release();
  }
}

/** In how many indexes each setting is not as it is by default. */
function settingsUsage(all: readonly Settings[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const settings of all) for (const name of changedSettings(settings)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const defaults = new Map(Object.entries(defaultSettings()).map(([name, value]) => [name, JSON.stringify(value)]));
/** There may be thousands of indexes, whose settings hardly ever change. */
const changed = new WeakMap<Settings, readonly string[]>();

function changedSettings(settings: Settings): readonly string[] {
  const names =
    changed.get(settings) ?? SETTING_NAMES.filter((name) => JSON.stringify(settings[name]) !== defaults.get(name));
  changed.set(settings, names);
  return names;
}

function embedderSources(all: readonly Settings[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { embedders } of all) {
    for (const embedder of Object.values(embedders)) {
      const source = sourceOf(embedder);
      counts[source] = (counts[source] ?? 0) + 1;
    }
  }
  return counts;
}

/** Requests by route, and all together, that came after the earlier totals. */
export function requestCounts(
  before: readonly RouteTotals[],
  now: readonly RouteTotals[],
  degraded: number,
): JsonObject {
  const routes: JsonObject = {};
  const all = { received: 0, succeeded: 0, failed: 0 };
  for (const [i, { method, path, succeeded, failed }] of now.entries()) {
    const since = { succeeded: succeeded - before[i]!.succeeded, failed: failed - before[i]!.failed };
    if (since.succeeded + since.failed === 0) continue;
    routes[`${method} ${path}`] = since;
    all.succeeded += since.succeeded;
    all.failed += since.failed;
  }
  all.received = all.succeeded + all.failed;
  return { ...all, degraded, routes };
}

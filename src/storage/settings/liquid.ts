/** The template language, loaded when the first template is read: most servers never need it. */
import { createRequire } from "node:module";
import type { Liquid } from "liquidjs";
import { limits } from "../../base/limits.ts";

/** As a package when run from source, as a file beside the bundles when built. */
const MODULE = import.meta.url.endsWith(".ts") ? "liquidjs" : "./liquidjs.cjs";
const RENDER_MS_MAX = 200;
const MEMORY_MAX = 10_000_000;

let engine: Liquid | null = null;

/** Templates come from clients: time and memory of one rendering are bounded, files and prototypes out of reach. */
export function liquid(): Liquid {
  if (engine === null) {
    const { Liquid } = createRequire(import.meta.url)(MODULE) as typeof import("liquidjs");
    engine = new Liquid({
      ownPropertyOnly: true,
      strictFilters: true,
      lenientIf: true,
      parseLimit: limits.templateUnits,
      renderLimit: RENDER_MS_MAX,
      memoryLimit: MEMORY_MAX,
      templates: {},
    });
  }
  return engine;
}

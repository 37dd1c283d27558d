/**
 * Where the code of a thread lies: as TypeScript when run from source, as a bundle of its own when built.
 * Starts nothing.
 */
import { fileURLToPath } from "node:url";

export interface ThreadFile {
  filename: string;
  /** Options of the thread; undefined inherits those of the process. */
  execArgv: string[] | undefined;
}

/** `serverThread("engine/reader/loop")`: a path from the folder of the sources. */
export function serverThread(path: string): ThreadFile {
  if (import.meta.url.endsWith(".ts")) return threadFile(import.meta.url, `../../${path}`);
  // Built, this code is part of one of the bundles, which all lie side by side.
  return threadFile(import.meta.url, `./${bundleName(path)}`);
}

/** A bundle is called by its path without the block it belongs to, as `scripts/build.mjs` does. */
function bundleName(path: string): string {
  return path.split("/").slice(1).join("-");
}

/** `threadFile(import.meta.url, "./loop")`: a path from the module that asks. */
export function threadFile(from: string, name: string): ThreadFile {
  const source = from.endsWith(".ts");
  return {
    filename: fileURLToPath(new URL(`${name}${source ? ".ts" : ".js"}`, from)),
    execArgv: source ? ["--import", registerTypeScript()] : undefined,
  };
}

/** The command line of the process reaches its threads, but not the loader it registered: each registers its own. */
function registerTypeScript(): string {
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  return `data:text/javascript,import { register } from ${loader}; register();`;
}

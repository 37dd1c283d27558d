/**
 * Where the code of a thread lies: beside the module that starts it, as TypeScript when run from source and as
 * JavaScript when built. Starts nothing.
 */
import { fileURLToPath } from "node:url";

export interface ThreadFile {
  filename: string;
  /** Options of the thread; undefined inherits those of the process. */
  execArgv: string[] | undefined;
}

/** `threadFile(import.meta.url, "./loop")` */
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

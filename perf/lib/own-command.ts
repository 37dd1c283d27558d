/** How this server is started to be measured, once it is built. */
import { missingCompilerSettings } from "../../src/server/cli/compiler-settings.ts";
import { MEMORY_SETTINGS } from "../../src/server/cli/memory-settings.ts";

/** With the environment that the launcher sets, but without the process that it is on older versions of Node. */
export function ownCommand(nodeOptions: readonly string[] = []): string {
  const environment = Object.entries(MEMORY_SETTINGS).map((setting) => setting.join("="));
  const ofMachine = Object.values(missingCompilerSettings({}, nodeOptions));
  const node = ["env", ...environment, "node", ...ofMachine, ...nodeOptions, "dist/main.js"].join(" ");
  return `${node} --http-addr 127.0.0.1:{port} --db-path {dir} --master-key {key} --no-analytics --log-level WARN`;
}

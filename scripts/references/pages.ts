// The pages of docs/reference by the names of their files.
import { errorsReference } from "./errors.ts";
import { optionsReference } from "./options.ts";
import { routesReference } from "./routes.ts";
import { settingsReference } from "./settings.ts";

export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["settings.md", settingsReference()],
    ["options.md", optionsReference()],
    ["errors.md", errorsReference()],
    ["routes.md", routesReference()],
  ]);
}

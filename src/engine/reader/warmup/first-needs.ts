/**
 * What the first search needs, whatever it asks and of which index: made by a reader that has just started while nobody asks,
 * as long as large indexes are opened, for example.
 */
import { compileDictionaryKernels } from "../../../base/kernels/dictionary/kernels.ts";
import { compileFormatKernels } from "../../../base/kernels/format/kernels.ts";
import { compileSearchKernels } from "../../../base/kernels/search/kernels.ts";
import { defaultSettings } from "../../../storage/settings/update.ts";
import { parseQuery } from "../../query/parse.ts";
import { QueryRules } from "../../query/rules.ts";

export function makeFirstNeeds(): void {
  compileDictionaryKernels();
  compileSearchKernels();
  compileFormatKernels();
  parseQuery("two words", new QueryRules(defaultSettings()), null);
}

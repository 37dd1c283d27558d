/** What the bodies of writes say: settings, documents to be deleted or edited, and exports. Documents themselves are another matter. */
import { parseDeleteBatch, parseDeleteByFilter, parseEditDocuments } from "../../base/contract/documents.ts";
import { type Features, requireFeature } from "../../base/contract/features.ts";
import { parseExport } from "../../base/contract/instance.ts";
import { parseSetting, parseSettings, type WritableSetting } from "../../base/contract/settings.ts";
import type { TaskContent } from "../../base/contract/task.ts";
import { badRequest } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { compileEdit } from "../../base/script/edit.ts";
import { checkUpdatedTemplates } from "../../storage/settings/embedders.ts";
import { checkTaskFilter } from "./documents.ts";

export interface TaskRoute {
  of: "settings" | "setting" | "deleteBatch" | "deleteByFilter" | "edit" | "export";
  /** Where it is about one of them. */
  setting: WritableSetting | null;
  features: Features;
  allowIndexCreation: boolean;
}

/** The task that a body asks for. */
export function taskOf({ of, setting, features, allowIndexCreation }: TaskRoute, body: unknown): TaskContent {
  switch (of) {
    case "settings":
    case "setting": {
      const settings = setting === null ? parseSettings(body, features) : parseSetting(setting, body, features);
      checkUpdatedTemplates((settings["embedders"] ?? {}) as JsonObject);
      return { type: "settingsUpdate", settings, isDeletion: false, allowIndexCreation };
    }
    case "deleteBatch":
      return { type: "documentDeletion", by: "ids", ids: parseDeleteBatch(body) };
    case "deleteByFilter": {
      const { filter } = parseDeleteByFilter(body);
      checkTaskFilter(filter, features);
      return { type: "documentDeletion", by: "filter", filter };
    }
    case "edit": {
      const edition = parseEditDocuments(body);
      requireFeature(features, "editDocumentsByFunction", "Using the documents edit route");
      if (edition.filter !== null) checkTaskFilter(edition.filter, features);
      const compiled = compileEdit(edition.function);
      if ("problem" in compiled) throw badRequest(`The function does not compile: ${compiled.problem}`);
      return { type: "documentEdition", ...edition };
    }
    case "export":
      return { type: "export", ...parseExport(body) };
  }
}

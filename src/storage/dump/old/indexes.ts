/** An index of a dump of the versions 2 to 5: a folder with a description and the documents. */
import { isObject, type Json } from "../../../base/json/value.ts";

import type { DumpFolder } from "../files.ts";
import type { DumpIndex, Warn } from "../source.ts";
import { currentSettings } from "./settings.ts";

export interface IndexName {
  uid: string;
  created: Json;
  updated: Json;
}

export async function indexIn(folder: DumpFolder, place: string, name: IndexName, warn: Warn): Promise<DumpIndex> {
  const { settings, primary_key: primaryKey } = await folder.object(`${place}/meta.json`);
  return {
    uid: name.uid,
    primaryKey: primaryKey ?? null,
    createdAt: name.created,
    updatedAt: name.updated,
    settings: currentSettings(isObject(settings) ? settings : {}, warn),
    documents: folder.pathOf(`${place}/documents.jsonl`),
    fieldOrder: null,
    embedderDimensions: null,
  };
}

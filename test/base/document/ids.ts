/** The ids of a list as strings. */
import { type IdList, idAt, idCount } from "../../../src/base/document/id-list.ts";

export function stringsOf(list: IdList): string[] {
  return Array.from({ length: idCount(list) }, (_, i) => idAt(list, i));
}

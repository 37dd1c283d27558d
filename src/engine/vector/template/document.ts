/** The document template of an embedder: from a document to the text that is embedded. */
import type { JsonObject } from "../../../base/json/value.ts";
import { DEFAULT_DOCUMENT_TEMPLATE, usesFields } from "../../../storage/settings/templates.ts";

import { AGAIN, compileTemplate, printableValue, shownValue, type TextTemplate, truncateBytes } from "./template.ts";

/** Not shown among the fields: they are no text. */
const UNLISTED = new Set(["_vectors", "_geo", "_geojson"]);

export function listedFields(fieldOrder: readonly string[]): string[] {
  return fieldOrder.filter((name) => !UNLISTED.has(name));
}

/** The document with nil for every field that it lacks. */
export function withNils(document: JsonObject, names: readonly string[]): JsonObject {
  const missing = names.filter((name) => !Object.hasOwn(document, name));
  return missing.length === 0 ? document : { ...document, ...Object.fromEntries(missing.map((name) => [name, null])) };
}

export class DocumentTemplate {
  readonly #template: TextTemplate | null;
  readonly #listsFields: boolean;
  readonly #printsObjects: boolean;
  readonly #bytesMax: number;
  readonly #isSearchable: (field: string) => boolean;
  /** Fields of the index that the template may look at: those that a document lacks are nil. */
  readonly #known: readonly string[];

  /** `fieldOrder`: the fields of the index. Throws `TemplateFailure`. */
  constructor(
    text: string,
    bytesMax: number,
    isSearchable: (field: string) => boolean,
    fieldOrder: readonly string[] = [],
  ) {
    // The default one is rendered by hand: it is the most common, and slow otherwise.
    this.#template = text === DEFAULT_DOCUMENT_TEMPLATE ? null : compileTemplate(text, AGAIN);
    this.#listsFields = usesFields(text);
    this.#printsObjects = text.includes("{%") || text.includes("|");
    this.#bytesMax = bytesMax;
    this.#isSearchable = isSearchable;
    const known = listedFields(fieldOrder);
    this.#known = this.#listsFields ? known : known.filter((name) => text.includes(name));
  }

  /** `document`: parsed, in the order of the index's fields. Throws `MissingVariable` or `TemplateFailure`. */
  render(document: JsonObject): string {
    const rendered = this.#template === null ? this.#allFields(document) : this.#template.render(this.#scope(document));
    return truncateBytes(rendered, this.#bytesMax);
  }

  #scope(document: JsonObject): JsonObject {
    const whole = withNils(document, this.#known);
    const doc = this.#printsObjects ? printableValue(whole) : whole;
    if (!this.#listsFields) return { doc };
    const fields = Object.entries(doc)
      .filter(([name]) => !UNLISTED.has(name))
      .map(([name, value]) => ({ name, value, is_searchable: this.#isSearchable(name) }));
    return { doc, fields };
  }

  #allFields(document: JsonObject): string {
    let text = "";
    for (const [name, value] of Object.entries(document)) {
      if (value === null || UNLISTED.has(name) || !this.#isSearchable(name)) continue;
      text += `${name}: ${shownValue(value)}\n`;
      // Bytes are never fewer than units, so the rest would be cut.
      if (text.length > this.#bytesMax) break;
    }
    return text;
  }
}

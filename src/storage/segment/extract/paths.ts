/**
 * Decides, for each key met in documents for the first time, which field it leads to and what is wanted of it. After that
 * the compiled walk knows the key.
 */
import type { ExtractKernels } from "../../../base/kernels/extract/kernels.ts";
import {
  NODE_GEO,
  NODE_GEOJSON,
  NODE_READ,
  NODE_UNWANTED,
  NODE_VECTORS,
} from "../../../base/kernels/extract/kernels.ts";
import { NO_LANGUAGE } from "../../../base/text/languages.ts";
import { readableLanguage } from "../../../base/text/script-tables.ts";
import type { FieldSetsWriter } from "../field-sets/writer.ts";
import { type ExtractionRules, isFaceted, isReserved, isSearchable, isWanted, localesOf } from "../rules.ts";

/** A flattened field; addresses are those of its state in the compiled walk. */
export interface Field {
  name: string;
  address: number;
  locales: string[] | null;
}

/** A path in documents. A literal key `a.b` and `b` inside `a` are different nodes of one field. */
interface PathNode {
  field: Field;
  address: number;
  children: Map<string, PathNode>;
}

export class Paths {
  /** By address. */
  readonly fields = new Map<number, Field>();
  /** Addresses of columns by name. */
  readonly columns = new Map<string, number>();
  readonly root: number;
  readonly #rules: ExtractionRules;
  readonly #kernels: ExtractKernels;
  readonly #fieldSets: FieldSetsWriter;
  readonly #byName = new Map<string, Field>();
  readonly #nodes = new Map<number, PathNode>();

  constructor(rules: ExtractionRules, kernels: ExtractKernels, fieldSets: FieldSetsWriter) {
    this.#rules = rules;
    this.#kernels = kernels;
    this.#fieldSets = fieldSets;
    this.root = this.#node(this.#newField(""), NODE_READ, 0).address;
  }

  /** The node under a key of the node at an address. */
  child(address: number, key: string): number {
    const parent = this.#nodes.get(address)!;
    const known = parent.children.get(key);
    if (known !== undefined) return known.address;
    const isTop = address === this.root;
    const name = parent.field.name === "" ? key : `${parent.field.name}.${key}`;
    let field = this.#byName.get(name);
    if (field === undefined) {
      field = this.#newField(name);
      this.#byName.set(name, field);
    }
    const child = this.#node(field, this.#kindOf(name, isTop), isTop ? this.#fieldSets.fieldNumber(name) : 0);
    parent.children.set(key, child);
    return child.address;
  }

  #kindOf(name: string, isTop: boolean): number {
    if (name === "_geo" && this.#rules.geo) return NODE_GEO;
    if (name === "_geojson" && this.#rules.geojson) return NODE_GEOJSON;
    if (isTop && name === "_vectors") return NODE_VECTORS;
    return isReserved(name) || !isWanted(this.#rules, name) ? NODE_UNWANTED : NODE_READ;
  }

  #newField(name: string): Field {
    const kernels = this.#kernels;
    const rules = this.#rules;
    const reserved = isReserved(name);
    const locales = localesOf(rules, name);
    const language = readableLanguage(locales);
    const column = !reserved && isFaceted(rules, name) ? this.column(name) : 0;
    const isRead = !reserved && isSearchable(rules, name);
    const address = kernels.newField(isRead, language === null, language ?? NO_LANGUAGE, column);
    const field = { name, address, locales };
    this.fields.set(address, field);
    return field;
  }

  column(name: string): number {
    let column = this.columns.get(name);
    if (column === undefined) {
      column = this.#kernels.newColumn();
      this.columns.set(name, column);
    }
    return column;
  }

  #node(field: Field, kind: number, topFieldNumber: number): PathNode {
    const address = this.#kernels.newNode(field.address, kind, topFieldNumber);
    const node = { field, address, children: new Map() };
    this.#nodes.set(address, node);
    return node;
  }
}

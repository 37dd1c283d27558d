/**
 * What a request wants of each attribute: which are shown in `_formatted`, which are highlighted, which are cropped and
 * to how many words. Names only; `document.ts` applies it to documents.
 */
import type { SearchQuery } from "../../../base/contract/search.ts";
import { KeyTable } from "../../../base/json/key-table.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { type AttributeNames, sharedNames } from "../../../storage/settings/attribute-names.ts";
import { nameTree } from "../../../storage/settings/name-tree.ts";
import { localesFor } from "../../../storage/settings/patterns.ts";
import type { Settings } from "../../../storage/settings/settings.ts";

type FormatQuery = Pick<
  SearchQuery,
  "attributesToHighlight" | "attributesToCrop" | "cropLength" | "showMatchesPosition" | "locales"
>;

/** To how many words attributes are cropped; of entries for the same attribute the last one counts. */
interface Crops {
  names: readonly string[];
  byName: ReadonlyMap<string, number>;
  /** For each entry and all that lie above it: the longest name there is from there down. */
  narrowestBelow: ReadonlyMap<string, { length: number; words: number }>;
  /** What all others are cropped to; 0 for not at all. */
  ofAll: number;
  isOfAll: boolean;
}

export class FormattedAttributes {
  /** Attributes in `_formatted`; undefined when no attribute asked for is there to be formatted. */
  readonly shown: AttributeNames | undefined;
  readonly root: FormattedAttribute;
  /** What all attributes are like; null when they differ. */
  readonly each: FormattedAttribute | null;
  readonly #highlighted: AttributeNames;
  readonly #crops: Crops;
  readonly #settings: Settings;
  readonly #locales: string[] | null;

  constructor(
    view: Pick<IndexView, "settings" | "fieldOrder">,
    query: FormatQuery,
    displayed: AttributeNames,
    retrieved: AttributeNames,
  ) {
    const isKnown = (name: string): boolean => nameTree(view.fieldOrder).covers(name);
    const asked = query.attributesToHighlight ?? [];
    this.#highlighted = asked.includes("*") ? displayed : sharedNames(asked.filter(isKnown), displayed);
    this.#crops = cropsOf(query, isKnown, displayed, retrieved);
    this.#settings = view.settings;
    this.#locales = query.locales !== null && query.locales.length > 0 ? query.locales : null;
    const formatted = [this.#highlighted, this.#crops.isOfAll ? null : this.#crops.names];
    const isFormatted = formatted.some((names) => names === null || names.length > 0);
    this.shown = isFormatted ? union([retrieved, ...formatted], displayed) : undefined;
    this.root = new FormattedAttribute("", this);
    const alike = this.#highlighted === null && this.#crops.names.length === 0 && !this.#crops.isOfAll;
    const spoken = this.#locales !== null || view.settings.localizedAttributes.length === 0;
    this.each = alike && spoken ? this.root.below("*") : null;
  }

  isHighlighted(name: string): boolean {
    if (this.#highlighted === null) return true;
    const tree = nameTree(this.#highlighted);
    return tree.covers(name) || tree.reaches(name);
  }

  /** Number of words, 0 for all; the entry that speaks most narrowly about the attribute, or what lies below it, decides. */
  cropWords(name: string): number {
    const below = this.#crops.narrowestBelow.get(name);
    if (below !== undefined) return below.words;
    for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
      const above = this.#crops.byName.get(name.slice(0, end));
      if (above !== undefined) return above;
    }
    return this.#crops.ofAll;
  }

  localesOf(name: string): string[] | null {
    return this.#locales ?? localesFor(this.#settings, name);
  }
}

/** An attribute by its path in a document. Every path is decided once; then a key costs a look-up of its bytes. */
export class FormattedAttribute {
  readonly name: string;
  readonly highlight: boolean;
  readonly cropWords: number;
  readonly locales: string[] | null;
  readonly #attributes: FormattedAttributes;
  #table: KeyTable | null = null;
  readonly #children: FormattedAttribute[] = [];

  constructor(name: string, attributes: FormattedAttributes) {
    this.name = name;
    this.#attributes = attributes;
    this.highlight = name !== "" && attributes.isHighlighted(name);
    this.cropWords = name === "" ? 0 : attributes.cropWords(name);
    this.locales = attributes.localesOf(name);
  }

  /** The attribute below under the name `bytes[start, end)`, as JSON writes it. */
  child(bytes: Uint8Array, start: number, end: number, decode: () => string): FormattedAttribute {
    this.#table ??= new KeyTable();
    const known = this.#table.get(bytes, start, end);
    if (known !== -1) return this.#children[known]!;
    const child = this.below(decode());
    this.#table.add(bytes, start, end, this.#children.length);
    this.#children.push(child);
    return child;
  }

  /** The same by a name that nobody asked for before. */
  below(key: string): FormattedAttribute {
    return new FormattedAttribute(this.name === "" ? key : `${this.name}.${key}`, this.#attributes);
  }
}

function cropsOf(
  query: FormatQuery,
  isKnown: (name: string) => boolean,
  displayed: AttributeNames,
  retrieved: AttributeNames,
): Crops {
  const byName = new Map<string, number>();
  const narrowestBelow = new Map<string, { length: number; words: number }>();
  let ofAll = 0;
  let isOfAll = false;
  for (const entry of query.attributesToCrop ?? []) {
    const { name, words } = parseCrop(entry, query.cropLength);
    const names = name === "*" ? retrieved : isKnown(name) ? sharedNames([name], displayed) : [];
    if (names === null) {
      isOfAll = true;
      ofAll = words;
    }
    for (const each of names ?? []) {
      byName.set(each, words);
      for (let end = each.length; end > 0; end = each.lastIndexOf(".", end - 1)) {
        const place = each.slice(0, end);
        const known = narrowestBelow.get(place);
        if (known === undefined || each.length >= known.length)
          narrowestBelow.set(place, { length: each.length, words });
      }
    }
  }
  return { names: [...byName.keys()], byName, narrowestBelow, ofAll, isOfAll };
}

/** `name` or `name:words`; a number that cannot be read leaves the default. */
function parseCrop(entry: string, words: number): { name: string; words: number } {
  const colon = entry.lastIndexOf(":");
  if (colon === -1) return { name: entry, words };
  const written = entry.slice(colon + 1);
  return { name: entry.slice(0, colon), words: /^\+?\d+$/.test(written) ? Number(written) : words };
}

function union(lists: readonly AttributeNames[], displayed: AttributeNames): AttributeNames {
  if (lists.includes(null)) return displayed;
  return [...new Set(lists.flatMap((names) => names ?? []))];
}

/**
 * Formats the documents of one query by compiled code: lays what the query stands for on the desk of the thread, answers
 * what the code asks, and has the few texts that it does not read formatted by `document.ts`.
 */
import type { ByteSink } from "../../../base/json/bytes.ts";
import {
  SHOWN_AS_IT_IS,
  SHOWN_BY_HOST,
  SHOWN_MARKED,
  SHOWN_MARKED_ASCII,
} from "../../../base/kernels/format/kernels.ts";
import { MIB } from "../../../base/limits.ts";
import { NO_LANGUAGE } from "../../../base/text/languages.ts";
import { readableLanguage, type ScriptTables } from "../../../base/text/script-tables.ts";
import type { Settings } from "../../../storage/settings/settings.ts";
import type { MatchedQuery } from "../../query/matched.ts";
import type { FormattedAttribute, FormattedAttributes } from "./attributes.ts";
import { type DeskOwner, type FormatDesk, formatDesk } from "./desk.ts";
import type { DocumentFormatter } from "./document.ts";
import { TermList } from "./term-list.ts";
import type { Marks } from "./text.ts";
import { formatTokenizer } from "./tokenizer.ts";

/** Memory does not shrink, and documents as long as this are rare. */
const DOCUMENT_BYTES_MAX = MIB;

export class CompiledFormatter implements DeskOwner {
  readonly #desk: FormatDesk = formatDesk();
  readonly #ticket = this.#desk.newTicket();
  readonly #terms: TermList;
  readonly #tables: ScriptTables;
  readonly #attributes: FormattedAttributes;
  readonly #marks: Marks;
  readonly #slow: () => DocumentFormatter;
  #nodes: Map<number, FormattedAttribute> = new Map();
  #root = 0;
  #out: ByteSink | null = null;

  /** Null for what compiled code does not know. `slow`: for the texts that it does not read. */
  static of(
    settings: Settings,
    attributes: FormattedAttributes,
    matched: MatchedQuery | null,
    marks: Marks,
    slow: () => DocumentFormatter,
  ): CompiledFormatter | null {
    const terms = new TermList(matched ?? { terms: [], stopWords: [] });
    return terms.isBeyond ? null : new CompiledFormatter(settings, attributes, terms, marks, slow);
  }

  private constructor(
    settings: Settings,
    attributes: FormattedAttributes,
    terms: TermList,
    marks: Marks,
    slow: () => DocumentFormatter,
  ) {
    this.#tables = formatTokenizer(settings).tokenizer.tables;
    this.#attributes = attributes;
    this.#terms = terms;
    this.#marks = marks;
    this.#slow = slow;
  }

  /** Appends the formatted document. */
  format(document: Uint8Array, out: ByteSink): void {
    if (document.length > DOCUMENT_BYTES_MAX) {
      this.#slow().format(document, this.#attributes.root, null, out);
      return;
    }
    const desk = this.#own();
    const at = desk.documentRoom(document.length);
    desk.bytes.set(document, at);
    this.#out = out;
    this.flush(desk.format(this, at, this.#root));
    this.#out = null;
  }

  flush(length: number): void {
    const from = this.#desk.kernels.addressOfOutput();
    this.#out!.bytes(this.#desk.bytes, from, from + length);
  }

  text(node: number, start: number, length: number): void {
    this.#slow().formatText(this.#desk.bytes, start, start + length, this.#nodes.get(node)!, this.#out!);
  }

  child(node: number, key: number, length: number): number {
    const spelled = this.#desk.bytes.toString("utf8", key, key + length);
    const name = spelled.includes("\\") ? (JSON.parse(`"${spelled}"`) as string) : spelled;
    return this.#node(this.#nodes.get(node)!.below(name), false);
  }

  #node(attribute: FormattedAttribute, isAlike: boolean): number {
    const address = this.#desk.kernels.newNode(this.#shownAs(attribute), isAlike);
    this.#nodes.set(address, attribute);
    return address;
  }

  #shownAs({ cropWords, highlight, locales }: FormattedAttribute): number {
    if (cropWords > 0) return SHOWN_BY_HOST;
    if (!highlight || this.#terms.isEmpty) return SHOWN_AS_IT_IS;
    const { asciiExact, wideExact } = this.#tables;
    const language = readableLanguage(locales);
    if (!asciiExact || language === null) return SHOWN_BY_HOST;
    return wideExact && language === NO_LANGUAGE ? SHOWN_MARKED : SHOWN_MARKED_ASCII;
  }

  /** The desk, with what belongs to this query on it. */
  #own(): FormatDesk {
    const desk = this.#desk;
    if (desk.isOf(this.#ticket)) return desk;
    desk.open(this.#ticket, this.#tables, this.#terms.count);
    this.#terms.layOn(desk);
    const { postTag, preTag } = this.#marks;
    const tags = desk.kernels.allocate(preTag.length + postTag.length);
    desk.bytes.set(preTag, tags);
    desk.bytes.set(postTag, tags + preTag.length);
    desk.kernels.setTags(tags, preTag.length, tags + preTag.length, postTag.length);
    const { each, root } = this.#attributes;
    this.#nodes = new Map();
    this.#root = this.#node(each ?? root, each !== null);
    return desk;
  }
}

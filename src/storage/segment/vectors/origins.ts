/**
 * What vectors were made from: for every row in the care of an embedder the sources (the template, or fragments) that gave
 * something to embed, and a hash of what they gave. So a change of a document tells which of its vectors are stale.
 *
 * ```
 * names      JSON list of {embedder, fragments}
 * heads      entries of each embedder
 * row_lists  row of each entry, ascending
 * sources    0 for the template, 1 + place in `fragments` for a fragment; the highest bit says that the client gave the
 *            vectors, which then need not be one for each entry
 * hashes     2 words for each entry
 * ```
 */

import { Buffer } from "node:buffer";
import { ByteBuffer } from "flatbuffers";
import { firstAtLeast } from "../../../base/sorted/binary-search.ts";
import { WordLog } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { OriginsPart } from "../generated/origins-part.ts";
import { PART, type Part } from "../parts.ts";
import type { RowPlan } from "../row-plan.ts";
import { textOf } from "../shared-bytes.ts";

export const TEMPLATE_SOURCE = 0;
/** Set in a source: the vectors are the client's, to be replaced when what would be embedded changes. */
export const GIVEN = 0x8000_0000;

export interface OriginList {
  /** Names that the numbers of sources stand for. */
  fragments: readonly string[];
  /** Row of each entry, ascending. */
  rows: Uint32Array;
  sources: Uint32Array;
  /** Two words for each entry. */
  hashes: Uint32Array;
}

/** The number under which a fragment stands among the sources. */
export function fragmentSource(fragments: readonly string[], name: string): number {
  return fragments.indexOf(name) + 1;
}

export class EmbedderOrigins implements OriginList {
  readonly embedder: string;
  readonly fragments: readonly string[];
  readonly rows: Uint32Array;
  readonly sources: Uint32Array;
  readonly hashes: Uint32Array;

  constructor(embedder: string, list: OriginList) {
    this.embedder = embedder;
    this.fragments = list.fragments;
    this.rows = list.rows;
    this.sources = list.sources;
    this.hashes = list.hashes;
  }

  /** The first entry of a row, or of the next row that has any. */
  startOf(row: number): number {
    return firstAtLeast(this.rows, row);
  }

  /** Past the last entry of the row that `start` belongs to; `start` itself when it belongs to another row. */
  endOf(row: number, start: number): number {
    let end = start;
    while (end < this.rows.length && this.rows[end] === row) end++;
    return end;
  }
}

interface PartName {
  embedder: string;
  fragments: string[];
}

export class OriginsReader {
  readonly embedders: EmbedderOrigins[];

  constructor(part: Uint8Array) {
    const table = OriginsPart.getRootAsOriginsPart(new ByteBuffer(part));
    const nameBytes = table.namesArray()!;
    const names = JSON.parse(textOf(nameBytes, 0, nameBytes.length)) as PartName[];
    const heads = table.headsArray() ?? NO_WORDS;
    const rows = table.rowListsArray() ?? NO_WORDS;
    const sources = table.sourcesArray() ?? NO_WORDS;
    const hashes = table.hashesArray() ?? NO_WORDS;
    let at = 0;
    this.embedders = names.map(({ embedder, fragments }, i) => {
      const end = at + heads[i]!;
      const list = {
        fragments,
        rows: rows.subarray(at, end),
        sources: sources.subarray(at, end),
        hashes: hashes.subarray(2 * at, 2 * end),
      };
      at = end;
      return new EmbedderOrigins(embedder, list);
    });
  }

  embedder(name: string): EmbedderOrigins | null {
    return this.embedders.find(({ embedder }) => embedder === name) ?? null;
  }
}

const NO_WORDS = new Uint32Array(0);

/** None when nothing was made. */
export function originParts(rows: number, lists: readonly { embedder: string; origins: OriginList }[]): Part[] {
  const used = lists.filter(({ origins }) => origins.rows.length > 0);
  if (used.length === 0) return [];
  const names = used.map(({ embedder, origins }) => ({ embedder, fragments: origins.fragments }));
  const joined = (pick: (origins: OriginList) => Uint32Array) => {
    const words = new WordLog();
    for (const { origins } of used) for (const word of pick(origins)) words.push(word);
    return wordsVector(words.view());
  };
  return [
    flatPart(PART.origins, OriginsPart, {
      rows,
      names: bytesVector([Buffer.from(JSON.stringify(names))]),
      heads: wordsVector(Uint32Array.from(used, ({ origins }) => origins.rows.length)),
      rowLists: joined((origins) => origins.rows),
      sources: joined((origins) => origins.sources),
      hashes: joined((origins) => origins.hashes),
    }),
  ];
}

export function mergeOrigins(readers: readonly (OriginsReader | null)[], plan: RowPlan): Part[] {
  const names = new Set(readers.flatMap((reader) => reader?.embedders.map(({ embedder }) => embedder) ?? []));
  const lists = [...names].map((embedder) => ({
    embedder,
    origins: mergedList(
      readers.map((reader) => reader?.embedder(embedder) ?? null),
      plan,
    ),
  }));
  return originParts(plan.rows, lists);
}

function mergedList(inputs: readonly (EmbedderOrigins | null)[], plan: RowPlan): OriginList {
  const fragments = [...new Set(inputs.flatMap((input) => input?.fragments ?? []))];
  const numbers = inputs.map((input) => input?.fragments.map((name) => fragmentSource(fragments, name)) ?? []);
  const rows = new WordLog();
  const sources = new WordLog();
  const hashes = new WordLog();
  const next = inputs.map(() => 0);
  for (let i = 0; i < plan.rows; i++) {
    const input = plan.inputsOf[i]!;
    const list = inputs[input];
    if (!list) continue;
    const row = plan.rowsOf[i]!;
    // Rows of one input come in ascending order, so its entries are passed over once.
    let entry = next[input]!;
    while (entry < list.rows.length && list.rows[entry]! < row) entry++;
    for (; list.rows[entry] === row; entry++) {
      const source = list.sources[entry]!;
      const number = source & ~GIVEN;
      rows.push(i);
      sources.push(
        ((number === TEMPLATE_SOURCE ? TEMPLATE_SOURCE : numbers[input]![number - 1]!) | (source & GIVEN)) >>> 0,
      );
      hashes.push(list.hashes[2 * entry]!);
      hashes.push(list.hashes[2 * entry + 1]!);
    }
    next[input] = entry;
  }
  return { fragments, rows: rows.view(), sources: sources.view(), hashes: hashes.view() };
}

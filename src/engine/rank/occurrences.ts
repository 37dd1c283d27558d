/**
 * Meets the occurrences of words with a list of documents: every document of the list that holds a word is looked at,
 * and nothing else is read.
 */

import type { Deadline } from "../query/deadline.ts";
import type { RowSets } from "../query/row-sets.ts";
import type { Refs, RowSpace } from "../query/row-space.ts";
import { prefixSummaries, prefixTable, type RowSummaries, type RowTable, wordTable } from "../query/row-tables.ts";
import type { Word } from "../query/vocabulary.ts";
import { type Documents, NO_SET, type RankedSet, type RowList } from "./documents.ts";

/**
 * Places by document of one segment's list: addresses of 32-bit words, those of document p from `begins[p]` to before
 * `ends[p]`.
 */
export interface PlaceTable {
  readonly begins: number;
  readonly ends: number;
  readonly places: number;
}

/** From this length on a list of documents is made a set, in which rows of words are looked up; shorter ones are searched. */
const LOOKED_UP = 256;

/** What is done with words that meet a list, packed or unpacked. */
export interface Meeting {
  /** `set` is the list as a set, where that helps; otherwise NO_SET. */
  words(space: RowSpace, refs: Refs, list: RowList, set: RankedSet, segment: number): void;
  table(space: RowSpace, table: RowTable, list: RowList, segment: number): void;
  /** Given by those that need no more than summaries. */
  summaries?(space: RowSpace, summaries: RowSummaries, list: RowList, segment: number): void;
}

export class Occurrences {
  readonly #clock: Deadline;

  constructor(clock: Deadline) {
    this.#clock = clock;
  }

  /** Lets the words meet the list of each segment that has some of them. */
  words(words: readonly Word[], documents: Documents, meeting: Meeting): void {
    if (words.length === 0) return;
    documents.eachList((space, list, segment) => {
      const rare: number[] = [];
      for (const { documents: frequency, ordinals } of words) {
        const ordinal = ordinals[segment]!;
        if (ordinal === -1) continue;
        const table = wordTable(space, ordinal, frequency, list.count);
        if (table === null) rare.push(ordinal);
        else this.#meetTable(space, table, list, segment, meeting);
      }
      if (rare.length === 0) return;
      const set = rankedFor(documents, list, segment, rare.length);
      const { mark } = space.workspace;
      const refs = space.refs(rare);
      this.#clock.spend(Math.min(refs.documents, list.count * refs.count));
      meeting.words(space, refs, list, set, segment);
      space.workspace.release(mark);
    });
  }

  /** Lets all words that begin with a common prefix meet the list of each segment. */
  prefix(prefix: string, documents: Documents, meeting: Meeting): void {
    documents.eachList((space, list, segment) => {
      const summaries = meeting.summaries === undefined ? null : prefixSummaries(space, prefix, list.count);
      if (summaries !== null) {
        this.#clock.spend(list.count);
        meeting.summaries!(space, summaries, list, segment);
        return;
      }
      const table = prefixTable(space, prefix);
      if (table !== null) {
        this.#meetTable(space, table, list, segment, meeting);
        return;
      }
      const refs = documents.completions(segment, prefix);
      this.#clock.spend(Math.min(refs.documents, list.count * refs.count));
      meeting.words(space, refs, list, documents.ranked(segment), segment);
    });
  }

  #meetTable(space: RowSpace, table: RowTable, list: RowList, segment: number, meeting: Meeting): void {
    this.#clock.spend(list.count);
    if (table.summaries !== null && meeting.summaries !== undefined) {
      meeting.summaries(space, table.summaries, list, segment);
    } else meeting.table(space, table, list, segment);
  }

  /** Places of the words by document; only in documents of `among` unless it is null. */
  places(words: readonly Word[], documents: Documents, among: RowSets | null): (PlaceTable | null)[] {
    const tables = noTables(documents);
    documents.eachList((space, list, segment) => {
      const ordinals: number[] = [];
      for (const word of words) if (word.ordinals[segment] !== -1) ordinals.push(word.ordinals[segment]!);
      if (ordinals.length === 0) return;
      const isAlone = words.length === 1 && among === null;
      const table = isAlone ? wordTable(space, ordinals[0]!, words[0]!.documents, list.count) : null;
      if (table !== null) {
        tables[segment] = this.#tablePlaces(space, table, list);
        return;
      }
      const set = rankedFor(documents, list, segment, ordinals.length);
      const admitted = among === null ? 0 : space.address(among[segment]!);
      tables[segment] = this.#wordPlaces(space, space.refs(ordinals), list, set, admitted);
      const { ends } = tables[segment]!;
      if (space.workspace.u32[(ends >>> 2) + list.count - 1] === 0) tables[segment] = null;
    });
    return tables;
  }

  /** Places of all words that begin with a common prefix, by document. */
  prefixPlaces(prefix: string, documents: Documents): (PlaceTable | null)[] {
    const tables = noTables(documents);
    this.prefix(prefix, documents, {
      words: (space, refs, list, set, segment) => {
        tables[segment] = this.#wordPlaces(space, refs, list, set, 0);
      },
      table: (space, table, list, segment) => {
        tables[segment] = this.#tablePlaces(space, table, list);
      },
    });
    return tables;
  }

  #wordPlaces(space: RowSpace, refs: Refs, list: RowList, set: RankedSet, admitted: number): PlaceTable {
    const { kernels, rows, setFields, setOffsets } = space;
    this.#clock.spend(Math.min(refs.documents, list.count * refs.count));
    return placed(space, list, (starts, places, capacity) =>
      kernels.wordPlaces(
        refs.at,
        refs.count,
        rows,
        setOffsets,
        setFields,
        list.at,
        list.count,
        set.bits,
        set.ranks,
        admitted,
        starts,
        places,
        capacity,
      ),
    );
  }

  #tablePlaces({ kernels, workspace }: RowSpace, table: RowTable, { at, count }: RowList): PlaceTable {
    this.#clock.spend(count);
    const begins = workspace.allocate(count * 4);
    const ends = workspace.allocate(count * 4);
    kernels.tableSpans(table.bits, table.ranks, table.starts, at, count, begins, ends);
    return { begins, ends, places: table.places };
  }
}

function noTables({ lists }: Documents): (PlaceTable | null)[] {
  const tables: (PlaceTable | null)[] = [];
  for (let i = 0; i < lists.length; i++) tables.push(null);
  return tables;
}

function rankedFor(documents: Documents, { count }: RowList, segment: number, words: number): RankedSet {
  return words > 1 && count >= LOOKED_UP ? documents.ranked(segment) : NO_SET;
}

/** Lets `write` fill all the room there is, and keeps what it filled. */
function placed(
  { workspace }: RowSpace,
  { count }: RowList,
  write: (starts: number, places: number, capacity: number) => number,
): PlaceTable {
  const starts = workspace.allocate((count + 1) * 4);
  const places = workspace.mark;
  const total = write(starts, places, Math.floor(workspace.room / 4));
  workspace.allocate(total * 4);
  return { begins: starts, ends: starts + 4, places };
}

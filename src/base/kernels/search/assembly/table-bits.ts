/**
 * Rows of a table, or of a prefix, for which something is true, as bits: that a word stands first, or in a certain field. Kept with
 * the tables where many rows have the word, found anew otherwise.
 */
import { bitsOr } from "../../keyword/assembly/bits";
import { unionRowsInSets } from "../../keyword/assembly/rows";
import { index, segmentAt } from "./index-of";
import { Segment } from "./layout";
import { Node } from "./nodes";
import { prefixRefs } from "./readings";
import { ASKED_MIN, claim, isFull, knownTable, SHORT_SHARE, SUMMARIZED_FIELDS_MAX, Table, tableOf } from "./tables";

/** Reading this many postings takes as long as looking at one document. */
const POSTINGS_PER_DOCUMENT: u32 = 16;
/** What is known of rows is kept as bits where it is true of more than one row in this many. */
const KEPT_SHARE: u32 = 16;

/** Adds the rows of a table with summaries that stand first in a field to bits; false when `n` documents are not worth it. */
export function addStarts(table: Table, n: u32, to: usize): bool {
  if (isKept(table)) {
    if (table.atStart === 0) table.atStart = keptBits<StandsFirst>(table, 0);
    if (table.atStart !== 0) return addKept(table, table.atStart, to);
  }
  return n >= table.rowCount / SHORT_SHARE && pickBits<StandsFirst>(table, 0, to);
}

/** The same of those that have a field. */
export function addWithField(table: Table, field: u32, n: u32, to: usize): bool {
  if (isKept(table)) {
    if (table.byField === 0) {
      table.byField = claim(SUMMARIZED_FIELDS_MAX << 2);
      if (table.byField !== 0) memory.fill(table.byField, 0, SUMMARIZED_FIELDS_MAX << 2);
    }
    const at = table.byField + ((<usize>field) << 2);
    if (table.byField !== 0 && load<u32>(at) === 0) store<u32>(at, keptBits<HasField>(table, field));
    if (table.byField !== 0 && load<u32>(at) !== 0) return addKept(table, load<u32>(at), to);
  }
  return n >= table.rowCount / SHORT_SHARE && pickBits<HasField>(table, field, to);
}

/** Whether so many rows have it that bits are worth the room. */
function isKept(table: Table): bool {
  return table.rowCount >= segmentAt(table.segment).rows / KEPT_SHARE;
}

function bytesOf(table: Table): u32 {
  return ((segmentAt(table.segment).rows + 127) >> 7) << 4;
}

function addKept(table: Table, bits: u32, to: usize): bool {
  bitsOr(to, to, bits, bytesOf(table));
  return true;
}

function keptBits<Test>(table: Table, field: u32): u32 {
  const bytes = bytesOf(table);
  const bits = isFull() ? 0 : claim(bytes);
  if (bits === 0) return 0;
  memory.fill(bits, 0, bytes);
  pickBits<Test>(table, field, bits);
  return bits;
}

function pickBits<Test>(table: Table, field: u32, to: usize): bool {
  const bytes = bytesOf(table);
  let rank: u32 = 0;
  for (let at: usize = 0; at < <usize>bytes; at += 8) {
    let picked: u64 = 0;
    // Behind the last row there may be bits of something else.
    for (let word = load<u64>(table.bits + at); word !== 0 && rank < table.rowCount; word &= word - 1, rank++) {
      if (changetype<Test>(<usize>0).isTrue(table, rank, field)) picked |= word & (0 - word);
    }
    store<u64>(to + at, load<u64>(to + at) | picked);
  }
  return true;
}

class StandsFirst {
  @inline
  isTrue(table: Table, rank: u32, _field: u32): bool {
    return load<u16>(table.firsts + ((<usize>rank) << 1)) === 0;
  }
}

class HasField {
  @inline
  isTrue(table: Table, rank: u32, field: u32): bool {
    return ((load<u8>(table.masks + rank) >> <u8>field) & 1) !== 0;
  }
}

class HasOneOf {
  @inline
  isTrue(table: Table, rank: u32, fields: u32): bool {
    return (load<u8>(table.masks + rank) & fields) !== 0;
  }
}

/** A bit for each field that weighs no more than that, of which there are at most eight. */
function lightFields(segment: Segment, weightMax: u32): u32 {
  let fields: u32 = 0;
  for (let field: u32 = 0; field < segment.fieldCount; field++) {
    if (<u32>load<u16>(segment.fieldWeights + ((<usize>field) << 1)) <= weightMax) fields |= 1 << field;
  }
  return fields;
}

/** Field sets with a field that weighs no more than that: see `Segment.lightSets`. */
export function lightFieldSets(segment: Segment, weightMax: u32): usize {
  return segment.lightSets + <usize>weightMax * segment.setCount;
}

/**
 * Adds the rows that have a word that begins with a prefix in a field which weighs no more than that to bits; false when that
 * is not worth it for `n` documents.
 */
export function addPrefixInFields(i: u32, node: Node, weightMax: u32, n: u32, to: usize): bool {
  const own = node.refsOf(i);
  const segment = segmentAt(i);
  const mayKeep = weightMax === 0 && index.isRestricted === 0;
  const known = knownTable(i, own.from, own.to);
  if (known !== null) {
    if (mayKeep && known.weightless === 0 && known.masks !== 0 && isKept(known)) {
      known.weightless = keptBits<HasOneOf>(known, lightFields(segment, weightMax));
    }
    if (mayKeep && known.weightless !== 0) return addKept(known, known.weightless, to);
    if (known.masks !== 0) {
      return n >= known.rowCount / SHORT_SHARE && pickBits<HasOneOf>(known, lightFields(segment, weightMax), to);
    }
  }
  const refs = prefixRefs(node, i);
  const count = own.to - own.from;
  const fieldSets = lightFieldSets(segment, weightMax);
  if (mayKeep && own.prefixDocuments >= segment.rows / KEPT_SHARE) {
    const table = tableOf(i, own.from, own.to);
    if (table !== null && !isFull() && table.asked++ >= ASKED_MIN) {
      const bytes = bytesOf(table);
      table.weightless = claim(bytes);
      if (table.weightless !== 0) {
        memory.fill(table.weightless, 0, bytes);
        unionRowsInSets(refs, count, segment.rows, fieldSets, table.weightless);
        return addKept(table, table.weightless, to);
      }
    }
  }
  if (n < own.prefixDocuments / POSTINGS_PER_DOCUMENT) return false;
  unionRowsInSets(refs, count, segment.rows, fieldSets, to);
  return true;
}

/** Documents with a field that is the whole query first, then those with one that begins with it. */
import { Place } from "../../keyword/assembly/place";
import { bucketOf } from "../../keyword/assembly/places";
import { withFirstIn } from "../../keyword/assembly/summaries";
import { newPlane } from "./costs";
import { segmentAt, segmentCount } from "./index-of";
import { Segment } from "./layout";
import { wordCount } from "./lengths";
import { andInto, markAll } from "./lines";
import { Node } from "./nodes";
import { gatherPlaces, newTables, TABLE_BYTES, tableAt } from "./occurrences";
import { Paths, TERMS_MAX } from "./paths";
import { addWords, hasExactTerm, nodeOf } from "./readings";
import { mark, release, stack } from "./room";
import { Docs, docsOfFinal, keptSet, pickDocs } from "./sets";
import { addStarts } from "./table-bits";
import { termTable } from "./tables";
import { Word } from "./words";

/** What a document costs by how its best field begins: it is the whole query, it begins with it, neither. */
const WHOLE: u32 = 0;
const BEGINNING: u32 = 1;
export const NEITHER: u32 = 2;
export const EXACT_COSTS: u32 = 3;

/** A word of the query, and the bucket of positions where it should be. */
@unmanaged
class Expected {
  word: Word;
  bucket: u32;
}

let expectedAt: usize = 0;
let expectedCount: u32 = 0;
let width: u32 = 0;

/** A plane of costs; on the stack. */
export function exactAttributeCosts(docs: Docs, paths: Paths): usize {
  const costs = newPlane(docs, NEITHER);
  const before = mark();
  if (findExpected(paths)) judge(docs, costs);
  release(before);
  return costs;
}

/** Those of many documents that have all words of the query, as far as that is quickly told; the others cost the most. */
export function withAllWords(docs: Docs, paths: Paths): Docs {
  const found = keptSet();
  const before = mark();
  if (findExpected(paths)) {
    let from = docs.source;
    for (let e: u32 = 0; e < expectedCount; e++) {
      andInto(found, from, rowsOf(expectedOf(e), docs));
      from = found;
    }
  }
  release(before);
  return docsOfFinal(found);
}

/** How many words the query has, as it stands; 0 when some of it cannot be found so, and all documents cost the same. */
export function wordsOfQuery(paths: Paths): u32 {
  const before = mark();
  const words = findExpected(paths) ? width : 0;
  release(before);
  return words;
}

function rowsOf(expected: Expected, docs: Docs): usize {
  const set = keptSet();
  const word = expected.word;
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0 || word.ordinal(i) === -1) continue;
    const known = expected.bucket === 0 ? termTable(i, word.ref(i), docs.countOf(i)) : null;
    if (known !== null && known.masks !== 0 && addStarts(known, docs.countOf(i), set + segmentAt(i).setAt)) {
      markAll(segmentAt(i), set);
    } else addWords(i, word.ref(i), 1, 0, set);
  }
  return set;
}

/** What the whole query is, exactly; false when some of it cannot be found as it is. */
function findExpected(paths: Paths): bool {
  const terms = stack((<usize>TERMS_MAX) << 2);
  memory.fill(terms, 0, (<usize>TERMS_MAX) << 2);
  let last: i32 = -1;
  for (let p: u32 = 0; p < paths.count; p++) {
    const path = paths.path(p);
    for (let i: u32 = 0; i < path.length; i++) {
      if (!hasExactTerm(path.at(i))) continue;
      const node = nodeOf(path.at(i));
      const at = terms + ((<usize>node.input.from) << 2);
      if (load<u32>(at) === 0) store<u32>(at, <u32>changetype<usize>(node));
      last = max(last, <i32>node.input.from);
    }
  }
  if (last < 0) return false;
  let words: u32 = 0;
  for (let term: i32 = 0; term <= last; term++) {
    const at = load<u32>(terms + ((<usize>term) << 2));
    if (at === 0) return false;
    const node = changetype<Node>(<usize>at);
    words += node.phrase === null ? 1 : node.phrase!.count;
  }
  expectedAt = stack(<usize>words * offsetof<Expected>());
  expectedCount = 0;
  width = 0;
  for (let term: i32 = 0; term <= last; term++) {
    const node = changetype<Node>(<usize>load<u32>(terms + ((<usize>term) << 2)));
    width += node.input.last - node.input.first + 1;
    if (node.phrase === null) expect(node.exact!, node.input.first);
    else {
      const phrase = node.phrase!;
      for (let w: u32 = 0; w < phrase.count; w++)
        if (phrase.word(w) !== null) expect(phrase.word(w)!, node.input.first + w);
    }
  }
  return true;
}

/** Rare words first. */
function expect(word: Word, position: u32): void {
  let at = expectedCount++;
  for (; at > 0 && expectedOf(at - 1).word.documents > word.documents; at--) {
    const before = expectedOf(at - 1);
    const moved = expectedOf(at);
    moved.word = before.word;
    moved.bucket = before.bucket;
  }
  const expected = expectedOf(at);
  expected.word = word;
  expected.bucket = bucketOf(position & 0xffff);
}

function expectedOf(i: u32): Expected {
  return changetype<Expected>(expectedAt + <usize>i * offsetof<Expected>());
}

/** Each word in turn, the rarest first, keeps the documents that have it where the query has it. */
function judge(docs: Docs, costs: usize): void {
  let left = docs;
  let origins: usize = 0;
  for (let e: u32 = 0; e < expectedCount; e++) {
    const positions = stack((<usize>left.count) << 2);
    const expected = expectedOf(e);
    const kept = withWordAt(expected.word, expected.bucket, left, positions);
    if (kept === 0) return;
    left = pickDocs(left, positions, kept);
    if (origins !== 0) {
      for (let k: u32 = 0; k < kept; k++) {
        const at = positions + ((<usize>k) << 2);
        store<u32>(at, load<u32>(origins + ((<usize>load<u32>(at)) << 2)));
      }
    }
    origins = positions;
  }
  if (expectedCount > 0) compareFields(left, origins, costs);
}

/** Positions of the documents in which the word stands in a bucket of positions; returns how many. */
function withWordAt(word: Word, bucket: u32, docs: Docs, positions: usize): u32 {
  const before = mark();
  let to = positions;
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0 || word.ordinal(i) === -1) continue;
    // Where a word can only stand first its first place tells.
    const known = bucket === 0 ? termTable(i, word.ref(i), docs.countOf(i)) : null;
    if (known !== null && known.masks !== 0) {
      const list = docs.listOf(i);
      to = withFirstIn(known.bits, known.ranks, known.firsts, list, docs.countOf(i), bucket, docs.start(i), to);
      continue;
    }
    const table = tableAt(newTables(), i);
    gatherPlaces(docs, i, word.ref(i), 1, 0, table);
    if (table.begins === 0) continue;
    for (let p = docs.start(i); p < docs.start(i + 1); p++) {
      const own = (<usize>(p - docs.start(i))) << 2;
      const end = table.places + ((<usize>load<u32>(table.ends + own)) << 2);
      for (let at = table.places + ((<usize>load<u32>(table.begins + own)) << 2); at < end; at += 4) {
        if (bucketOf(load<u16>(at)) !== bucket) continue;
        store<u32>(to, p);
        to += 4;
        break;
      }
    }
  }
  release(before);
  return <u32>((to - positions) >> 2);
}

/** Among documents that have all words in place: is there a field with all of them, and does it have more? */
function compareFields(docs: Docs, origins: usize, costs: usize): void {
  const bytes = <usize>segmentCount * TABLE_BYTES;
  const tables = stack(<usize>expectedCount * bytes);
  for (let e: u32 = 0; e < expectedCount; e++) {
    const own = newTables();
    for (let i: u32 = 0; i < segmentCount; i++) {
      if (expectedOf(e).word.ordinal(i) !== -1) gatherPlaces(docs, i, expectedOf(e).word.ref(i), 1, 0, tableAt(own, i));
    }
    memory.copy(tables + <usize>e * bytes, own, bytes);
  }
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const fields = stack((<usize>segment.fieldCount) << 1);
    for (let p = docs.start(i); p < docs.start(i + 1); p++) {
      let common: u32 = 0;
      for (let e: u32 = 0; e < expectedCount; e++) {
        common = keepFields(segment, tables + <usize>e * bytes, i, p - docs.start(i), e === 0, fields, common);
      }
      if (common === 0) continue;
      const row = load<u32>(docs.list + ((<usize>p) << 2));
      let cost = BEGINNING;
      for (let f: u32 = 0; f < common; f++) {
        if (wordCount(segment, row, load<u16>(fields + ((<usize>f) << 1))) === width) cost = WHOLE;
      }
      store<u16>(costs + ((<usize>load<u32>(origins + ((<usize>p) << 2))) << 1), <u16>cost);
    }
  }
}

/** Keeps the fields in which a word stands in a document; returns how many. */
function keepFields(segment: Segment, tables: usize, i: u32, p: u32, isFirst: bool, fields: usize, known: u32): u32 {
  const table = tableAt(tables, i);
  if (table.begins === 0) return 0;
  const searched = segment.searchedFields;
  const end = table.places + ((<usize>load<u32>(table.ends + ((<usize>p) << 2))) << 2);
  let last: u32 = 0xffff_ffff;
  let next: u32 = 0;
  let count: u32 = 0;
  for (let at = table.places + ((<usize>load<u32>(table.begins + ((<usize>p) << 2))) << 2); at < end; at += 4) {
    const field = <u32>changetype<Place>(at).field;
    if (field === last) continue;
    last = field;
    if (isFirst) {
      if (searched !== 0 && load<u8>(searched + field) === 0) continue;
    } else {
      while (next < known && <u32>load<u16>(fields + ((<usize>next) << 1)) < field) next++;
      if (next === known || <u32>load<u16>(fields + ((<usize>next) << 1)) !== field) continue;
    }
    store<u16>(fields + ((<usize>count) << 1), <u16>field);
    count++;
  }
  return count;
}

/** Sets of rows of all segments, and lists of them: rows of one segment after the other. */
import { index, mapBytes, segmentAt, segmentCount, setBytes } from "./index-of";
import { Segment } from "./layout";
import { addList, addTo, clearSet, countRows, LINE_ROWS, listFirstRows, listRows, rankRows } from "./lines";
import { keep, keepZeros, stack } from "./room";

/** In front of the sets that are lent. */
@unmanaged
class Lent {
  /** How many are. */
  count: u32;
  /** Whether the search that took them is not at its end. */
  isOpen: u32;
}

const LENT_HEAD_BYTES: usize = 16;

/** Takes back what the search before was lent: lines that it did not touch need not be cleared. */
export function openSets(): void {
  const at = <usize>index.sets;
  if (at === 0) return;
  const lent = changetype<Lent>(at);
  const isBroken = lent.isOpen !== 0;
  for (let i: u32 = 0; i < lent.count; i++) {
    if (isBroken) memory.fill(lentSet(i), 0, setBytes + mapBytes);
    else clearSet(lentSet(i));
  }
  lent.count = 0;
  lent.isOpen = 1;
}

/** The search is at its end; its sets stay as they are until the next one. */
export function closeSets(): void {
  if (index.sets !== 0) changetype<Lent>(index.sets).isOpen = 0;
}

function lentSet(i: u32): usize {
  return index.sets + LENT_HEAD_BYTES + <usize>i * ((setBytes + mapBytes + 15) & ~15);
}

/** An empty set that lasts until the end of the search. */
export function keptSet(): usize {
  const at = <usize>index.sets;
  const lent = changetype<Lent>(at);
  if (at === 0 || lent.count === index.setCount) return keepZeros(setBytes + mapBytes);
  return lentSet(lent.count++);
}

export function emptySet(): usize {
  const at = stack(setBytes + mapBytes);
  memory.fill(at, 0, setBytes + mapBytes);
  return at;
}

/** Documents in a list: u32 rows, ascending in each segment. Those of a set need not be listed before somebody asks. */
@unmanaged
export class Docs {
  /** 0 until they are listed. */
  list: usize;
  /** u32 by segment: position of its first document, and the count at the end. */
  starts: usize;
  count: u32;
  /** The set that was listed, if it stays as it is; 0 otherwise. */
  source: usize;
  /** The list as a set, with the ranks of every 64th row in its segment where there are some; 0 until somebody asks. */
  bits: usize;
  ranks: usize;
  /** The list that this one, or the one it was picked from, was picked from. */
  root: usize;
  /** Of a root: places of many words, see `occurrences`. */
  places: usize;

  @inline
  start(segment: u32): u32 {
    return load<u32>(this.starts + ((<usize>segment) << 2));
  }

  @inline
  countOf(segment: u32): u32 {
    return this.start(segment + 1) - this.start(segment);
  }

  @inline
  listOf(segment: u32): usize {
    return this.list + ((<usize>this.start(segment)) << 2);
  }
}

const DOCS_BYTES: usize = offsetof<Docs>();

/** Its starts are to be filled in. */
export function newDocs(list: usize, count: u32, root: usize): Docs {
  const at = stack(DOCS_BYTES);
  const docs = changetype<Docs>(at);
  docs.list = list;
  docs.starts = stack((<usize>segmentCount + 1) << 2);
  docs.count = count;
  docs.source = 0;
  docs.bits = 0;
  docs.ranks = 0;
  docs.root = root === 0 ? at : root;
  docs.places = 0;
  return docs;
}

/** Of a set that does not change any more during the search; not listed yet. */
export function docsOfFinal(set: usize): Docs {
  const docs = newDocs(0, 0, 0);
  docs.source = set;
  for (let i: u32 = 0; i < segmentCount; i++) {
    store<u32>(docs.starts + ((<usize>i) << 2), docs.count);
    const segment = segmentAt(i);
    docs.count += countRows(set, segment.setAt, segment.setAt + segment.setBytes);
  }
  store<u32>(docs.starts + ((<usize>segmentCount) << 2), docs.count);
  return docs;
}

/** Listed, as the set is now. */
export function docsOf(set: usize): Docs {
  const docs = docsOfFinal(set);
  listDocs(docs);
  docs.source = 0;
  return docs;
}

/** The documents of a set with the lowest numbers, at most so many: fewer where some segments have few. On the stack. */
export function firstDocs(docs: Docs, most: u32): Docs {
  let parts: u32 = 0;
  for (let i: u32 = 0; i < segmentCount; i++) if (docs.countOf(i) > 0) parts++;
  const each = most / parts;
  const lists = newDocs(stack((<usize>(parts * (each + LINE_ROWS + 1))) << 2), 0, 0);
  let below: u32 = 0xffff_ffff;
  for (let i: u32 = 0; i < segmentCount; i++) {
    store<u32>(lists.starts + ((<usize>i) << 2), lists.count);
    if (docs.countOf(i) === 0) continue;
    const segment = segmentAt(i);
    const list = lists.listOf(i);
    const count = listFirstRows(docs.source, segment.setAt, segment.setAt + segment.setBytes, each + 1, list);
    if (count > each) below = min(below, docidAt(segment, list, each));
    lists.count += count;
  }
  store<u32>(lists.starts + ((<usize>segmentCount) << 2), lists.count);
  const first = newDocs(stack((<usize>most) << 2), 0, 0);
  for (let i: u32 = 0; i < segmentCount; i++) {
    store<u32>(first.starts + ((<usize>i) << 2), first.count);
    const list = lists.listOf(i);
    for (let p: u32 = 0; p < lists.countOf(i) && docidAt(segmentAt(i), list, p) < below; p++) {
      store<u32>(first.list + ((<usize>first.count) << 2), load<u32>(list + ((<usize>p) << 2)));
      first.count++;
    }
  }
  store<u32>(first.starts + ((<usize>segmentCount) << 2), first.count);
  return first;
}

function docidAt(segment: Segment, list: usize, position: u32): u32 {
  return load<u32>(segment.docids + ((<usize>load<u32>(list + ((<usize>position) << 2))) << 2));
}

/** Lists documents; on the stack, see `forget`. */
export function listDocs(docs: Docs): void {
  if (docs.list !== 0) return;
  docs.list = stack((<usize>docs.count) << 2);
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0) continue;
    const segment = segmentAt(i);
    listRows(docs.source, segment.setAt, segment.setAt + segment.setBytes, docs.listOf(i));
  }
}

/** The documents at k positions, which ascend; positions may be where the list comes to be. */
export function pickDocs(docs: Docs, positions: usize, k: u32): Docs {
  const list = stack((<usize>k) << 2);
  const picked = newDocs(list, k, docs.root);
  let i: u32 = 0;
  for (let s: u32 = 0; s < segmentCount; s++) {
    store<u32>(picked.starts + ((<usize>s) << 2), i);
    const end = docs.start(s + 1);
    for (; i < k; i++) {
      const position = load<u32>(positions + ((<usize>i) << 2));
      if (position >= end) break;
      store<u32>(list + ((<usize>i) << 2), load<u32>(docs.list + ((<usize>position) << 2)));
    }
  }
  store<u32>(picked.starts + ((<usize>segmentCount) << 2), k);
  return picked;
}

export function addDocs(docs: Docs, set: usize): void {
  if (docs.source !== 0) {
    addTo(set, docs.source);
    return;
  }
  for (let i: u32 = 0; i < segmentCount; i++) addList(segmentAt(i), docs.listOf(i), docs.countOf(i), set);
}

/** To look at each of so many takes longer than to go over all lines of a set, which they must be then. */
export function areMany(docs: Docs): bool {
  return docs.source !== 0 && isMany(docs.count);
}

export function isMany(count: u32): bool {
  return count >= max(index.many, <u32>setBytes >> 6);
}

/** Makes the list a set: of a root for the whole search, else on the stack, see `forget`. */
export function rank(docs: Docs): void {
  if (docs.bits !== 0) return;
  const isRoot = docs.root === changetype<usize>(docs);
  if (docs.source === 0) {
    docs.bits = isRoot ? keptSet() : emptySet();
    addDocs(docs, docs.bits);
  } else docs.bits = docs.source;
  docs.ranks = isRoot ? keep(setBytes >> 1) : stack(setBytes >> 1);
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const end = <usize>segment.setAt + segment.setBytes;
    rankRows(docs.bits, segment.setAt, end, docs.ranks + (segment.setAt >> 1));
  }
}

/** The stack is about to be released to a mark that may be below the list, or its set. */
export function forget(docs: Docs, mark: usize): void {
  if (docs.source !== 0 && docs.list >= mark) docs.list = 0;
  if (docs.root !== changetype<usize>(docs) && docs.bits >= mark) docs.bits = 0;
}

/**
 * What compiled search leaves to who started it: sorting by values of fields and by distance, and values that are to be
 * shown once. Documents are given as a list of rows and, by segment, the positions where its rows begin.
 */
import { mark, release, stack } from "./room";
import { Docs, listDocs, newDocs, pickDocs } from "./sets";

/** Starts to sort documents by the rule of a level; 0 when there is no time for it. */
declare function openSort(level: u32, list: usize, starts: usize): u32;

/** Writes the next documents that are equal under the rule of a level and returns how many, -1 when there are no more. */
declare function nextSort(level: u32, list: usize, starts: usize): i32;

/** Writes all that have not come yet. */
declare function restSort(level: u32, list: usize, starts: usize): u32;

/** The number of what there is to say about the documents that came last. */
declare function sortDetail(): u32;

/** Writes a byte for each document: 1 when one with the same value was shown; returns how many these are. */
declare function findExcluded(list: usize, starts: usize, flags: usize): u32;

/** Whether no document with the same value was shown; it is, then. */
declare function showOnce(segment: u32, row: u32): u32;

/** False when there is no time for it. */
export function openHostSort(level: u32, docs: Docs): bool {
  listDocs(docs);
  return openSort(level, docs.list, docs.starts) !== 0;
}

/** Null when there are no more. */
export function nextHostBucket(level: u32, docs: Docs): Docs | null {
  const list = stack((<usize>docs.count) << 2);
  const found = newDocs(list, 0, docs.root);
  const count = nextSort(level, found.list, found.starts);
  if (count < 0) return null;
  found.count = count;
  return found;
}

export function hostDetail(): u32 {
  return sortDetail();
}

export function hostRest(level: u32, docs: Docs): Docs {
  const rest = newDocs(stack((<usize>docs.count) << 2), 0, docs.root);
  rest.count = restSort(level, rest.list, rest.starts);
  return rest;
}

export function isShownOnce(segment: u32, row: u32): bool {
  return showOnce(segment, row) !== 0;
}

/** Takes positions away whose documents are not to be shown any more; returns how many are left. */
export function keepPositions(docs: Docs, positions: usize, count: u32): u32 {
  const before = mark();
  const picked = pickDocs(docs, positions, count);
  const flags = stack(count);
  let kept = count;
  if (findExcluded(picked.list, picked.starts, flags) > 0) {
    kept = 0;
    for (let i: u32 = 0; i < count; i++) {
      if (load<u8>(flags + i) !== 0) continue;
      store<u32>(positions + ((<usize>kept) << 2), load<u32>(positions + ((<usize>i) << 2)));
      kept++;
    }
  }
  release(before);
  return kept;
}

/** The documents that may still be shown. */
export function withoutExcluded(docs: Docs): Docs {
  listDocs(docs);
  const positions = stack((<usize>docs.count) << 2);
  for (let i: u32 = 0; i < docs.count; i++) store<u32>(positions + ((<usize>i) << 2), i);
  const kept = keepPositions(docs, positions, docs.count);
  return kept === docs.count ? docs : pickDocs(docs, positions, kept);
}

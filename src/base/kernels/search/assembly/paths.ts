/** Interpretations of the query: lists of readings, one after the other. */
import { nodeAt, nodeCount } from "./nodes";
import { Reading, wholeReading } from "./readings";
import { mark, release, stack } from "./room";

/** A query has no more terms. */
export const TERMS_MAX: u32 = 10;
/** Length, then readings. */
export const PATH_BYTES: usize = (<usize>TERMS_MAX + 1) << 2;

/** Followed by its readings. */
@unmanaged
export class Path {
  length: u32;

  @inline
  at(i: u32): Reading {
    return load<u32>(changetype<usize>(this) + ((<usize>i) << 2), offsetof<Path>());
  }

  @inline
  put(i: u32, reading: Reading): void {
    store<u32>(changetype<usize>(this) + ((<usize>i) << 2), reading, offsetof<Path>());
  }
}

/** How the query may be read: in every way the graph allows, or in the ways an earlier rule left. */
@unmanaged
export class Paths {
  count: u32;
  /** No rule has chosen yet: paths follow the graph and share their beginnings. */
  isGraph: u32;
  list: usize;

  @inline
  path(i: u32): Path {
    return changetype<Path>(this.list + <usize>i * PATH_BYTES);
  }
}

/** For as many paths as are to be put in; on the stack. */
export function newPaths(room: u32): Paths {
  const paths = changetype<Paths>(stack(offsetof<Paths>()));
  paths.count = 0;
  paths.isGraph = 0;
  paths.list = stack(<usize>room * PATH_BYTES);
  return paths;
}

export function addPath(paths: Paths, path: usize): void {
  memory.copy(paths.list + <usize>paths.count * PATH_BYTES, path, PATH_BYTES);
  paths.count++;
}

/** All ways through the graph, in the order of its nodes. */
export function graphPaths(termCount: u32): Paths {
  // A way over n terms begins with one, two or three of them.
  let ways: u32 = 1;
  let before: u32 = 0;
  let beforeThat: u32 = 0;
  for (let term: u32 = 0; term < termCount; term++) {
    const next = ways + before + beforeThat;
    beforeThat = before;
    before = ways;
    ways = next;
  }
  const paths = newPaths(ways);
  paths.isGraph = 1;
  const path = stack(PATH_BYTES);
  changetype<Path>(path).length = 0;
  walk(paths, changetype<Path>(path), 0, termCount);
  return paths;
}

function walk(paths: Paths, path: Path, from: u32, termCount: u32): void {
  if (from === termCount) {
    addPath(paths, changetype<usize>(path));
    return;
  }
  for (let n: u32 = 0; n < nodeCount; n++) {
    const input = nodeAt(n).input;
    if (input.from !== from) continue;
    path.put(path.length, wholeReading(n));
    path.length++;
    walk(paths, path, input.to + 1, termCount);
    path.length--;
  }
}

/** Whether `end` is the end of `path`, or all of it. */
function endsWith(path: Path, end: Path): bool {
  if (end.length > path.length) return false;
  const from = path.length - end.length;
  for (let i: u32 = 0; i < end.length; i++) if (path.at(from + i) !== end.at(i)) return false;
  return true;
}

/** Paths chosen by a rule, without repetitions; a path that is the end of an earlier one takes that one's place. */
export function chosenPaths(chosen: Paths): Paths {
  const found = newPaths(chosen.count);
  for (let i: u32 = 0; i < chosen.count; i++) {
    const path = chosen.path(i);
    let isKnown = false;
    for (let j: u32 = 0; !isKnown && j < found.count; j++) {
      isKnown = found.path(j).length === path.length && endsWith(found.path(j), path);
    }
    if (!isKnown) addPath(found, changetype<usize>(path));
  }
  if (found.count < 2) return found;
  const before = mark();
  // The place of a path: of which it is the end first, and how much of that is in front of it.
  const places = stack((<usize>found.count) << 2);
  let isOrdered = true;
  for (let i: u32 = 0; i < found.count; i++) {
    const path = found.path(i);
    let j: u32 = 0;
    while (!endsWith(found.path(j), path)) j++;
    const place = j * (TERMS_MAX + 1) + found.path(j).length - path.length;
    store<u32>(places + ((<usize>i) << 2), place);
    if (i > 0 && load<u32>(places + ((<usize>(i - 1)) << 2)) > place) isOrdered = false;
  }
  if (!isOrdered) sortByPlace(found, places);
  release(before);
  return found;
}

function sortByPlace(paths: Paths, places: usize): void {
  const held = stack(PATH_BYTES);
  for (let i: u32 = 1; i < paths.count; i++) {
    const place = load<u32>(places + ((<usize>i) << 2));
    memory.copy(held, changetype<usize>(paths.path(i)), PATH_BYTES);
    let at = i;
    for (; at > 0 && load<u32>(places + ((<usize>(at - 1)) << 2)) > place; at--) {
      store<u32>(places + ((<usize>at) << 2), load<u32>(places + ((<usize>(at - 1)) << 2)));
      memory.copy(changetype<usize>(paths.path(at)), changetype<usize>(paths.path(at - 1)), PATH_BYTES);
    }
    store<u32>(places + ((<usize>at) << 2), place);
    memory.copy(changetype<usize>(paths.path(at)), held, PATH_BYTES);
  }
}

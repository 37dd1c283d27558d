/**
 * Which segments to merge next. Segments of like size are merged together, so that every document is rewritten a
 * logarithmic number of times and the number of segments stays bounded; a segment that is mostly deleted is rewritten alone.
 *
 * Size-tiered merging: O'Neil et al. 1996, "The Log-Structured Merge-Tree".
 */

export interface SegmentSize {
  rows: number;
  liveRows: number;
  bytes: number;
  /** Of all rows: a merge has them in its memory before it leaves any behind. */
  hotBytes: number;
}

/** This many segments of one size class are merged into one of the next. */
const FAN_IN = 5;
/** When nothing else is to be done, a segment is merged with smaller ones that together have this share of its size. */
const SHARE_AT_LEISURE = 4;
const CLASS_GROWTH = 4;
const SMALLEST_CLASS_BYTES = 128 * 1024;
/** From here on a segment has a vocabulary that every search takes notable time to look through. */
const LARGE_BYTES = 8 * 1024 * 1024;
/** A merged segment does not grow beyond this, so that one merge stays bounded in time and disk. */
const MERGED_BYTES_MAX = 512 * 1024 * 1024;
/** Dead rows are carried until they are this share of a segment. */
const DEAD_SHARE_MAX = 0.3;
/** A handful of dead rows in a tiny segment is not worth a file. */
const DEAD_ROWS_MIN = 64;

const liveBytes = (s: SegmentSize): number => (s.rows === 0 ? 0 : (s.bytes * s.liveRows) / s.rows);

const sizeClass = (bytes: number): number =>
  bytes <= SMALLEST_CLASS_BYTES ? 0 : 1 + Math.floor(Math.log(bytes / SMALLEST_CLASS_BYTES) / Math.log(CLASS_GROWTH));

/**
 * Positions of the segments to merge into one, or null when there is nothing worth doing. No merge is of segments that have
 * more than `hotBytesMax` together.
 */
export function nextMerge(segments: readonly SegmentSize[], atLeisure: boolean, hotBytesMax: number): number[] | null {
  const emptied = segments.findIndex((s) => s.liveRows === 0);
  if (emptied >= 0) return [emptied];
  const decayed = segments.findIndex(
    (s) =>
      s.rows - s.liveRows >= DEAD_ROWS_MIN &&
      s.rows - s.liveRows > s.rows * DEAD_SHARE_MAX &&
      s.hotBytes <= hotBytesMax,
  );
  const fit = (members: readonly number[]) => asManyAsFit(segments, members, hotBytesMax);
  const merge = mergeOfClass(segments, 0, fit) ?? (atLeisure ? mergeAtLeisure(segments, fit) : null);
  return merge ?? (decayed >= 0 ? [decayed] : null);
}

/** The same while there is more to index: of large segments only, which a batch or two make of much, not of many small ones. */
export function nextLargeMerge(segments: readonly SegmentSize[], hotBytesMax: number): number[] | null {
  return mergeOfClass(segments, sizeClass(LARGE_BYTES), (members) => asManyAsFit(segments, members, hotBytesMax));
}

/**
 * Which segments become one where all are to be merged: as few groups as may be, of at most `hotBytesMax` each (first fit,
 * largest first). A segment that has more stays as it is, and is in none.
 */
export function groupsToCompact(segments: readonly SegmentSize[], hotBytesMax: number): number[][] {
  const groups: { members: number[]; hotBytes: number }[] = [];
  const bySize = [...segments.keys()].sort((a, b) => segments[b]!.hotBytes - segments[a]!.hotBytes);
  for (const i of bySize) {
    const { hotBytes } = segments[i]!;
    if (hotBytes > hotBytesMax) continue;
    const group = groups.find((each) => each.hotBytes + hotBytes <= hotBytesMax);
    if (group === undefined) groups.push({ members: [i], hotBytes });
    else {
      group.members.push(i);
      group.hotBytes += hotBytes;
    }
  }
  return groups.map(({ members }) => members.sort((a, b) => a - b));
}

type Fit = (members: readonly number[]) => number[];

/** Many segments of one size class, of the smallest from `least` on that has so many. */
function mergeOfClass(segments: readonly SegmentSize[], least: number, fit: Fit): number[] | null {
  const classes = new Map<number, number[]>();
  for (const [i, segment] of segments.entries()) {
    const key = sizeClass(liveBytes(segment));
    if (key < least) continue;
    const members = classes.get(key);
    if (members === undefined) classes.set(key, [i]);
    else members.push(i);
  }
  for (const key of [...classes.keys()].sort((a, b) => a - b)) {
    const members = classes.get(key)!;
    if (members.length < FAN_IN) continue;
    const chosen = fit(members);
    if (chosen.length > 1) return chosen;
  }
  return null;
}

/**
 * All segments but the tiny ones, from the smallest on, as long as none is much larger than those before it together: the
 * fewer segments, the less a search costs, and whatever is rewritten becomes part of something notably larger.
 */
function mergeAtLeisure(segments: readonly SegmentSize[], fit: Fit): number[] | null {
  const sizes = segments.map(liveBytes);
  const members = [...sizes.keys()].filter((i) => sizeClass(sizes[i]!) > 0).sort((a, b) => sizes[a]! - sizes[b]!);
  for (let first = 0; first + 1 < members.length; first++) {
    let end = first + 1;
    for (let total = sizes[members[first]!]!; end < members.length; end++) {
      const bytes = sizes[members[end]!]!;
      if (bytes > total * SHARE_AT_LEISURE) break;
      total += bytes;
    }
    const chosen = fit(members.slice(first, end));
    if (chosen.length > 1) return chosen;
  }
  return null;
}

function asManyAsFit(segments: readonly SegmentSize[], members: readonly number[], hotBytesMax: number): number[] {
  const chosen: number[] = [];
  let total = 0;
  let hotTotal = 0;
  for (const i of members) {
    const bytes = liveBytes(segments[i]!);
    const { hotBytes } = segments[i]!;
    if (chosen.length > 0 && total + bytes > MERGED_BYTES_MAX) break;
    if (hotTotal + hotBytes > hotBytesMax) break;
    chosen.push(i);
    total += bytes;
    hotTotal += hotBytes;
  }
  return chosen;
}

/**
 * Which segments to merge next. Segments of like size are merged together, so that every document is rewritten a
 * logarithmic number of times and the number of segments stays bounded; a segment that is mostly deleted is rewritten alone.
 *
 * Size-tiered merging: O'Neil et al. 1996, "The Log-Structured Merge-Tree".
 */

interface SegmentSize {
  rows: number;
  liveRows: number;
  bytes: number;
}

/** This many segments of one size class are merged into one of the next. */
const FAN_IN = 5;
/** When nothing else is to be done, a segment is merged with smaller ones that together have this share of its size. */
const SHARE_AT_LEISURE = 4;
const CLASS_GROWTH = 4;
const SMALLEST_CLASS_BYTES = 128 * 1024;
/** A merged segment does not grow beyond this, so that one merge stays bounded in time and disk. */
const MERGED_BYTES_MAX = 512 * 1024 * 1024;
/** Dead rows are carried until they are this share of a segment. */
const DEAD_SHARE_MAX = 0.3;
/** A handful of dead rows in a tiny segment is not worth a file. */
const DEAD_ROWS_MIN = 64;

const liveBytes = (s: SegmentSize): number => (s.rows === 0 ? 0 : (s.bytes * s.liveRows) / s.rows);

const sizeClass = (bytes: number): number =>
  bytes <= SMALLEST_CLASS_BYTES ? 0 : 1 + Math.floor(Math.log(bytes / SMALLEST_CLASS_BYTES) / Math.log(CLASS_GROWTH));

/** Positions of the segments to merge into one, or null when there is nothing worth doing. */
export function nextMerge(segments: readonly SegmentSize[], atLeisure = false): number[] | null {
  const emptied = segments.findIndex((s) => s.liveRows === 0);
  if (emptied >= 0) return [emptied];
  const decayed = segments.findIndex(
    (s) => s.rows - s.liveRows >= DEAD_ROWS_MIN && s.rows - s.liveRows > s.rows * DEAD_SHARE_MAX,
  );
  const sizes = segments.map(liveBytes);
  return mergeOfClass(sizes) ?? (atLeisure ? mergeAtLeisure(sizes) : null) ?? (decayed >= 0 ? [decayed] : null);
}

/** Many segments of one size class, of the smallest that has so many. */
function mergeOfClass(sizes: readonly number[]): number[] | null {
  const classes = new Map<number, number[]>();
  for (const [i, bytes] of sizes.entries()) {
    const key = sizeClass(bytes);
    const members = classes.get(key);
    if (members === undefined) classes.set(key, [i]);
    else members.push(i);
  }
  for (const key of [...classes.keys()].sort((a, b) => a - b)) {
    const members = classes.get(key)!;
    if (members.length < FAN_IN) continue;
    const chosen = asManyAsFit(sizes, members);
    if (chosen.length > 1) return chosen;
  }
  return null;
}

/**
 * All segments but the tiny ones, from the smallest on, as long as none is much larger than those before it together: the
 * fewer segments, the less a search costs, and whatever is rewritten becomes part of something notably larger.
 */
function mergeAtLeisure(sizes: readonly number[]): number[] | null {
  const members = [...sizes.keys()].filter((i) => sizeClass(sizes[i]!) > 0).sort((a, b) => sizes[a]! - sizes[b]!);
  for (let first = 0; first + 1 < members.length; first++) {
    let end = first + 1;
    for (let total = sizes[members[first]!]!; end < members.length; end++) {
      const bytes = sizes[members[end]!]!;
      if (bytes > total * SHARE_AT_LEISURE) break;
      total += bytes;
    }
    const chosen = asManyAsFit(sizes, members.slice(first, end));
    if (chosen.length > 1) return chosen;
  }
  return null;
}

function asManyAsFit(sizes: readonly number[], members: readonly number[]): number[] {
  const chosen: number[] = [];
  let total = 0;
  for (const i of members) {
    if (chosen.length > 0 && total + sizes[i]! > MERGED_BYTES_MAX) break;
    chosen.push(i);
    total += sizes[i]!;
  }
  return chosen;
}

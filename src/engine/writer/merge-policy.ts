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
/** And this many when nothing else is to be done: the fewer segments, the less a search costs. Not the tiny ones. */
const FAN_IN_AT_LEISURE = 2;
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
  const classes = new Map<number, number[]>();
  for (const [i, segment] of segments.entries()) {
    const key = sizeClass(liveBytes(segment));
    const members = classes.get(key);
    if (members === undefined) classes.set(key, [i]);
    else members.push(i);
  }
  for (const key of [...classes.keys()].sort((a, b) => a - b)) {
    const members = classes.get(key)!;
    if (members.length < (atLeisure && key > 0 ? FAN_IN_AT_LEISURE : FAN_IN)) continue;
    const chosen: number[] = [];
    let total = 0;
    for (const i of members) {
      const bytes = liveBytes(segments[i]!);
      if (chosen.length > 0 && total + bytes > MERGED_BYTES_MAX) break;
      chosen.push(i);
      total += bytes;
    }
    if (chosen.length > 1) return chosen;
  }
  return decayed >= 0 ? [decayed] : null;
}

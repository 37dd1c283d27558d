/**
 * The geojson part: the shapes of every row that has some. Builder, reader and merge side by side.
 *
 * ```
 * data:  count × 4 f64 bounds (west, east, south, north) | f64 coordinates, longitude and latitude alternating
 *        | count × u32 row, ascending | count+1 × u32 first word | count+1 × u32 first coordinate | u32 words
 * words: 0 a point | 1 n a line of n points | 2 r n1 … nr a polygon of r rings; coordinates follow in the same order
 * ```
 */
import { Builder, ByteBuffer } from "flatbuffers";
import type { Bitmap } from "../bitmap.ts";
import { GeoJsonPart } from "../generated/geo-json-part.ts";
import { flatRingOf } from "./flat-ring.ts";
import type { Shape } from "./parse.ts";
import { boundsOf, covers, crosses, type Outline, type Path, type Region, whole } from "./region.ts";

const POINT = 0;
const LINE = 1;
const POLYGON = 2;

interface EncodedShapes {
  words: ArrayLike<number>;
  numbers: ArrayLike<number>;
}

function encodeShapes(shapes: readonly Shape[]): EncodedShapes {
  const words: number[] = [];
  const numbers: number[] = [];
  for (const shape of shapes) {
    if (shape.kind === "point") {
      words.push(POINT);
      numbers.push(...shape.position);
    } else if (shape.kind === "line") {
      words.push(LINE, shape.path.length / 2);
      for (const number of shape.path) numbers.push(number);
    } else {
      words.push(POLYGON, shape.rings.length, ...shape.rings.map((ring) => ring.length / 2));
      for (const ring of shape.rings) for (const number of ring) numbers.push(number);
    }
  }
  return { words, numbers };
}

export class GeoJsonBuilder {
  readonly #rows: number;
  readonly #shapes = new Map<number, EncodedShapes>();

  constructor(rows: number) {
    this.#rows = rows;
  }

  add(row: number, shapes: readonly Shape[]): void {
    if (shapes.length > 0) this.addEncoded(row, encodeShapes(shapes));
  }

  addEncoded(row: number, shapes: EncodedShapes): void {
    this.#shapes.set(row, shapes);
  }

  /** Null when no row has a shape: there is no part then. */
  finish(): Uint8Array | null {
    const count = this.#shapes.size;
    if (count === 0) return null;
    let wordCount = 0;
    let numberCount = 0;
    for (const { words, numbers } of this.#shapes.values()) {
      wordCount += words.length;
      numberCount += numbers.length;
    }
    const layout = layoutOf(count, wordCount, numberCount);
    const data = new ArrayBuffer(layout.bytes);
    const views = viewsOf(data, 0, count, wordCount, numberCount);
    let word = 0;
    let number = 0;
    Uint32Array.from(this.#shapes.keys())
      .sort()
      .forEach((row, i) => {
        const { words, numbers } = this.#shapes.get(row)!;
        views.rows[i] = row;
        views.bounds.set(boundsOf(numbers), i * 4);
        views.words.set(words, word);
        views.numbers.set(numbers, number);
        views.wordStarts[i + 1] = word += words.length;
        views.numberStarts[i + 1] = number += numbers.length;
      });
    const builder = new Builder((data.byteLength + 319) & ~63);
    const vector = GeoJsonPart.createDataVector(builder, new Uint8Array(data));
    GeoJsonPart.startGeoJsonPart(builder);
    GeoJsonPart.addRows(builder, this.#rows);
    GeoJsonPart.addCount(builder, count);
    GeoJsonPart.addWordCount(builder, wordCount);
    GeoJsonPart.addNumberCount(builder, numberCount);
    GeoJsonPart.addData(builder, vector);
    builder.finish(GeoJsonPart.endGeoJsonPart(builder));
    return builder.asUint8Array();
  }
}

function layoutOf(count: number, wordCount: number, numberCount: number) {
  const numbersAt = count * 32;
  const rowsAt = numbersAt + numberCount * 8;
  const wordStartsAt = rowsAt + count * 4;
  const numberStartsAt = wordStartsAt + (count + 1) * 4;
  const wordsAt = numberStartsAt + (count + 1) * 4;
  return { numbersAt, rowsAt, wordStartsAt, numberStartsAt, wordsAt, bytes: wordsAt + wordCount * 4 };
}

function viewsOf(buffer: ArrayBufferLike, base: number, count: number, wordCount: number, numberCount: number) {
  const layout = layoutOf(count, wordCount, numberCount);
  return {
    bounds: new Float64Array(buffer, base, count * 4),
    numbers: new Float64Array(buffer, base + layout.numbersAt, numberCount),
    rows: new Uint32Array(buffer, base + layout.rowsAt, count),
    wordStarts: new Uint32Array(buffer, base + layout.wordStartsAt, count + 1),
    numberStarts: new Uint32Array(buffer, base + layout.numberStartsAt, count + 1),
    words: new Uint32Array(buffer, base + layout.wordsAt, wordCount),
  };
}

export class GeoJsonReader {
  readonly rows: number;
  readonly count: number;
  readonly #views: ReturnType<typeof viewsOf>;

  constructor(part: Uint8Array) {
    const table = GeoJsonPart.getRootAsGeoJsonPart(new ByteBuffer(part));
    const data = table.dataArray()!;
    this.rows = table.rows();
    this.count = table.count();
    this.#views = viewsOf(data.buffer, data.byteOffset, this.count, table.wordCount(), table.numberCount());
  }

  /** Adds the rows of which some shape meets the region: lies inside, overlaps, contains it or touches its border. */
  rowsMeeting(region: Region, out: Bitmap): void {
    for (const outline of region) this.#addMeeting(outline, out, () => true);
    const flat = flatRingOf(region);
    if (flat === null) return;
    this.#addMeeting(flat.ring, out, (slot) =>
      flat.cells.some((cell) => cell.some((outline) => this.#meets(slot, whole(outline)))),
    );
  }

  #addMeeting(outline: Outline, out: Bitmap, counts: (slot: number) => boolean): void {
    const { bounds, rows } = this.#views;
    const [west, east, south, north] = boundsOf(outline);
    for (let slot = 0; slot < this.count; slot++) {
      const at = slot * 4;
      if (bounds[at]! > east || bounds[at + 1]! < west || bounds[at + 2]! > north || bounds[at + 3]! < south) continue;
      if (!out.has(rows[slot]!) && this.#meets(slot, whole(outline)) && counts(slot)) out.set(rows[slot]!);
    }
  }

  #meets(slot: number, outline: Path): boolean {
    const { words, wordStarts, numbers, numberStarts } = this.#views;
    let from = numberStarts[slot]!;
    let at = wordStarts[slot]!;
    while (at < wordStarts[slot + 1]!) {
      const kind = words[at++]!;
      if (kind === POLYGON) {
        const rings: Path[] = [];
        for (let left = words[at++]!; left > 0; left--) {
          const to = from + words[at++]! * 2;
          rings.push({ numbers, from, to });
          from = to;
        }
        if (polygonMeets(rings, outline)) return true;
      } else {
        const to = from + (kind === POINT ? 2 : words[at++]! * 2);
        if (pathMeets({ numbers, from, to }, outline)) return true;
        from = to;
      }
    }
    return false;
  }

  /** Visits every row with its shapes as they are stored. */
  forEach(visit: (row: number, shapes: EncodedShapes) => void): void {
    const { rows, words, wordStarts, numbers, numberStarts } = this.#views;
    for (let slot = 0; slot < this.count; slot++) {
      visit(rows[slot]!, {
        words: words.subarray(wordStarts[slot], wordStarts[slot + 1]),
        numbers: numbers.subarray(numberStarts[slot], numberStarts[slot + 1]),
      });
    }
  }
}

function pathMeets(path: Path, outline: Path): boolean {
  for (let i = path.from; i < path.to; i += 2) {
    if (covers(outline, path.numbers[i]!, path.numbers[i + 1]!)) return true;
  }
  return crosses(path, outline);
}

function polygonMeets(rings: Path[], outline: Path): boolean {
  if (rings.some((ring) => pathMeets(ring, outline))) return true;
  const [shell, ...holes] = rings;
  if (shell === undefined || shell.from === shell.to) return false;
  // No border meets: either the outline lies wholly inside the polygon (and in no hole), or they are apart.
  const lng = outline.numbers[outline.from]!;
  const lat = outline.numbers[outline.from + 1]!;
  return covers(shell, lng, lat) && !holes.some((hole) => hole.from < hole.to && covers(hole, lng, lat));
}

/** One part for several segments; `rowMap` leads from old rows to new ones, -1 when dropped. Null when none is left. */
export function mergeGeoJson(
  inputs: { reader: GeoJsonReader | null; rowMap: Int32Array }[],
  rows: number,
): Uint8Array | null {
  const builder = new GeoJsonBuilder(rows);
  for (const { reader, rowMap } of inputs) {
    reader?.forEach((row, shapes) => {
      if (rowMap[row] !== -1) builder.addEncoded(rowMap[row]!, shapes);
    });
  }
  return builder.finish();
}

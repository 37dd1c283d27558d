/**
 * The geo part: one place a row, for those rows that have one. Builder, reader and merge side by side.
 *
 * ```
 * data:  count × f64 latitude | count × f64 longitude | count × u32 row, ascending (absent when every row has a place)
 * ```
 */
import { Builder, ByteBuffer } from "flatbuffers";
import { placeOf } from "../../../base/sorted/binary-search.ts";
import type { Bitmap } from "../bitmap.ts";
import { GeoPart } from "../generated/geo-part.ts";
import { distanceMetres } from "./distance.ts";

/** Corners in degrees; `left > right` crosses the antimeridian. Bounds are included. */
export interface GeoBox {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export class GeoBuilder {
  readonly #rows: number;
  readonly #places = new Map<number, { lat: number; lng: number }>();

  constructor(rows: number) {
    this.#rows = rows;
  }

  add(row: number, lat: number, lng: number): void {
    this.#places.set(row, { lat, lng });
  }

  /** Null when no row has a place: there is no part then. */
  finish(): Uint8Array | null {
    const count = this.#places.size;
    if (count === 0) return null;
    const listed = Uint32Array.from(this.#places.keys()).sort();
    const data = new ArrayBuffer(count * 16 + (count === this.#rows ? 0 : count * 4));
    const coordinates = new Float64Array(data, 0, count * 2);
    listed.forEach((row, i) => {
      const place = this.#places.get(row)!;
      coordinates[i] = place.lat;
      coordinates[count + i] = place.lng;
    });
    if (count !== this.#rows) new Uint32Array(data, count * 16).set(listed);
    const builder = new Builder((data.byteLength + 319) & ~63);
    const vector = GeoPart.createDataVector(builder, new Uint8Array(data));
    GeoPart.startGeoPart(builder);
    GeoPart.addRows(builder, this.#rows);
    GeoPart.addCount(builder, count);
    GeoPart.addData(builder, vector);
    builder.finish(GeoPart.endGeoPart(builder));
    return builder.asUint8Array();
  }
}

export class GeoReader {
  readonly rows: number;
  readonly count: number;
  readonly #latitudes: Float64Array;
  readonly #longitudes: Float64Array;
  readonly #rowList: Uint32Array | null;

  constructor(part: Uint8Array) {
    const table = GeoPart.getRootAsGeoPart(new ByteBuffer(part));
    const data = table.dataArray()!;
    this.rows = table.rows();
    this.count = table.count();
    this.#latitudes = new Float64Array(data.buffer, data.byteOffset, this.count);
    this.#longitudes = new Float64Array(data.buffer, data.byteOffset + this.count * 8, this.count);
    this.#rowList =
      this.count === this.rows ? null : new Uint32Array(data.buffer, data.byteOffset + this.count * 16, this.count);
  }

  #slotOf(row: number): number {
    return this.#rowList === null ? row : placeOf(this.#rowList, row);
  }

  has(row: number): boolean {
    return this.#slotOf(row) !== -1;
  }

  point(row: number): { lat: number; lng: number } | null {
    const slot = this.#slotOf(row);
    return slot === -1 ? null : { lat: this.#latitudes[slot]!, lng: this.#longitudes[slot]! };
  }

  /** Metres from a place; infinite for a row without one. */
  distance(row: number, lat: number, lng: number): number {
    const slot = this.#slotOf(row);
    if (slot === -1) return Number.POSITIVE_INFINITY;
    return distanceMetres(lat, lng, this.#latitudes[slot]!, this.#longitudes[slot]!);
  }

  rowsInRadius(lat: number, lng: number, metres: number, out: Bitmap): void {
    // A degree of latitude is nowhere shorter than this, so most rows need no trigonometry.
    const degrees = metres / 111_194 + 1e-5;
    for (let slot = 0; slot < this.count; slot++) {
      const latitude = this.#latitudes[slot]!;
      if (Math.abs(latitude - lat) > degrees && Math.abs(latitude) <= 90) continue;
      if (distanceMetres(lat, lng, latitude, this.#longitudes[slot]!) <= metres) out.set(this.#rowOf(slot));
    }
  }

  rowsInBox(box: GeoBox, out: Bitmap): void {
    const crosses = box.left > box.right;
    for (let slot = 0; slot < this.count; slot++) {
      const lat = this.#latitudes[slot]!;
      if (lat > box.top || lat < box.bottom) continue;
      const lng = this.#longitudes[slot]!;
      const inside = crosses ? lng >= box.left || lng <= box.right : lng >= box.left && lng <= box.right;
      if (inside) out.set(this.#rowOf(slot));
    }
  }

  /** Visits every place. */
  forEach(visit: (row: number, lat: number, lng: number) => void): void {
    for (let slot = 0; slot < this.count; slot++) {
      visit(this.#rowOf(slot), this.#latitudes[slot]!, this.#longitudes[slot]!);
    }
  }

  #rowOf(slot: number): number {
    return this.#rowList === null ? slot : this.#rowList[slot]!;
  }
}

/** One part for several segments; `rowMap` leads from old rows to new ones, -1 when dropped. Null when none is left. */
export function mergeGeo(inputs: { reader: GeoReader | null; rowMap: Int32Array }[], rows: number): Uint8Array | null {
  const builder = new GeoBuilder(rows);
  for (const { reader, rowMap } of inputs) {
    reader?.forEach((row, lat, lng) => {
      if (rowMap[row] !== -1) builder.add(rowMap[row]!, lat, lng);
    });
  }
  return builder.finish();
}

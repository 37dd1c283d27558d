/** Places on a plain map: a square piece of the globe that holds them all, and where on it each of them lies. */

export interface Place {
  lat: number;
  lng: number;
}

export interface Dot {
  x: number;
  y: number;
}

export interface MapView {
  dots: Dot[];
  /** Lines of the grid, with what they are called. */
  meridians: { at: number; label: string }[];
  parallels: { at: number; label: string }[];
}

/** Degrees around the outermost places, as a share of what lies between them. */
const MARGIN = 0.1;
const SPAN_MIN = 0.02;
const LINES = 4;
/** Steps of a grid, within one power of ten. */
const STEPS = [1, 2, 5, 10];

/** In a picture of this width and height. */
export function mapOf(places: readonly Place[], width: number, height: number): MapView {
  const lngs = extent(places.map(({ lng }) => lng));
  const lats = extent(places.map(({ lat }) => lat));
  const x = (lng: number): number => ((lng - lngs.min) / (lngs.max - lngs.min)) * width;
  const y = (lat: number): number => ((lats.max - lat) / (lats.max - lats.min)) * height;
  return {
    dots: places.map(({ lat, lng }) => ({ x: x(lng), y: y(lat) })),
    meridians: ticks(lngs).map((lng) => ({ at: x(lng), label: degrees(lng, "E", "W") })),
    parallels: ticks(lats).map((lat) => ({ at: y(lat), label: degrees(lat, "N", "S") })),
  };
}

function extent(values: readonly number[]): { min: number; max: number } {
  const min = Math.min(...values);
  const max = Math.max(...values);
  const pad = Math.max((max - min) * MARGIN, SPAN_MIN);
  return { min: min - pad, max: max + pad };
}

function ticks({ min, max }: { min: number; max: number }): number[] {
  const rough = (max - min) / LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((each) => each * power >= rough)!;
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(6)));
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value)}° ${value < 0 ? negative : positive}`;
}

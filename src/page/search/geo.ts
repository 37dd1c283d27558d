/** Places on a plain map: a square piece of the globe that holds them all, where on it each of them lies, and what lies at a point of it. */

export interface Place {
  lat: number;
  lng: number;
}

/** Everything within so many metres of a place. */
export interface Around extends Place {
  metres: number;
}

interface Dot {
  x: number;
  y: number;
}

export interface MapView {
  dots: Dot[];
  /** What `around` covers: an ellipse, where a degree is not as wide as high. */
  ring: (Dot & { rx: number; ry: number }) | null;
  /** A quarter of the height. */
  metres: number;
  placeAt(dot: Dot): Place;
  /** Lines of the grid, with what they are called. */
  meridians: { at: number; label: string }[];
  parallels: { at: number; label: string }[];
}

/** Degrees around the outermost places, as a share of what lies between them. */
const MARGIN = 0.1;
const SPAN_MIN = 0.02;
const LINES = 4;
const METRES_A_DEGREE = 111_195;
/** The poles have no width. */
const COSINE_MIN = 0.01;
/** Steps of a grid, within one power of ten. */
const STEPS = [1, 2, 5, 10];

/** In a picture of this width and height, which shows all of what is around a place, too. */
export function mapOf(places: readonly Place[], width: number, height: number, around: Around | null): MapView {
  const covered = around === null ? null : degreesOf(around);
  const edges = around === null || covered === null ? [] : [-1, 1].map((side) => moved(around, covered, side));
  const lngs = extent([...places, ...edges].map(({ lng }) => lng));
  const lats = extent([...places, ...edges].map(({ lat }) => lat));
  const x = (lng: number): number => ((lng - lngs.min) / (lngs.max - lngs.min)) * width;
  const y = (lat: number): number => ((lats.max - lat) / (lats.max - lats.min)) * height;
  const [perLng, perLat] = [width / (lngs.max - lngs.min), height / (lats.max - lats.min)];
  return {
    ring:
      around === null || covered === null
        ? null
        : { x: x(around.lng), y: y(around.lat), rx: covered.lng * perLng, ry: covered.lat * perLat },
    metres: Number((((lats.max - lats.min) / 4) * METRES_A_DEGREE).toPrecision(2)),
    placeAt: (dot) => ({
      lat: Number((lats.max - dot.y / perLat).toFixed(4)),
      lng: Number((lngs.min + dot.x / perLng).toFixed(4)),
    }),
    dots: places.map(({ lat, lng }) => ({ x: x(lng), y: y(lat) })),
    meridians: ticks(lngs).map((lng) => ({ at: x(lng), label: degrees(lng, "E", "W") })),
    parallels: ticks(lats).map((lat) => ({ at: y(lat), label: degrees(lat, "N", "S") })),
  };
}

/** How far it reaches. */
function degreesOf({ lat, metres }: Around): Place {
  const reach = metres / METRES_A_DEGREE;
  return { lat: reach, lng: reach / Math.max(Math.cos((lat * Math.PI) / 180), COSINE_MIN) };
}

function moved(from: Place, by: Place, times: number): Place {
  return { lat: from.lat + times * by.lat, lng: from.lng + times * by.lng };
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

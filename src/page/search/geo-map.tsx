/**
 * Where the hits of the page lie: a grid of the globe without any map from elsewhere. Dots tell their titles. Where places can be
 * filtered by, a click leaves what is around it; the fields below say the same in numbers.
 */
import { NumberField } from "../parts/field.tsx";
import { type Around, type MapView, mapOf, type Place } from "./geo.ts";
import { titleOf } from "./look.ts";
import { answer, around, filterableNames, setAround } from "./state.ts";

const WIDTH = 600;
const HEIGHT = 260;

function isPlace(value: unknown): value is Place {
  const { lat, lng } = (value ?? {}) as Partial<Place>;
  return Number.isFinite(lat) && Number.isFinite(lng);
}

export function GeoMap() {
  const placed = (answer.value?.hits ?? []).flatMap((hit) =>
    isPlace(hit._geo) ? [{ geo: hit._geo, title: titleOf(hit) }] : [],
  );
  if (placed.length === 0 && around.value === null) return null;
  const places = placed.map(({ geo }) => geo);
  const view = mapOf(places, WIDTH, HEIGHT, around.value);
  const label = `Map of ${placed.length} ${placed.length === 1 ? "hit" : "hits"}`;
  const titles = placed.map(({ title }) => title);
  if (!filterableNames.value.includes("_geo")) {
    return (
      <figure class="map">
        <Drawing view={view} titles={titles} label={label} />
        <figcaption class="quiet">The hits of this page that have a place.</figcaption>
      </figure>
    );
  }
  return (
    <figure class="map">
      <button type="button" onClick={(event) => setAround(clicked(event, view))}>
        <Drawing view={view} titles={titles} label={`${label}: click for those around a place`} />
      </button>
      <figcaption>{around.value === null ? <Hint /> : <Circle of={around.value} />}</figcaption>
    </figure>
  );
}

/** A key that is pressed clicks in the middle. */
function clicked(event: MouseEvent, { metres, placeAt }: MapView): Around {
  const svg = (event.currentTarget as HTMLElement).querySelector("svg")!;
  const dot =
    event.detail === 0
      ? { x: WIDTH / 2, y: HEIGHT / 2 }
      : new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()!.inverse());
  return { ...placeAt(dot), metres: around.value?.metres ?? metres };
}

function Drawing({ view, titles, label }: { view: MapView; titles: readonly string[]; label: string }) {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {view.meridians.map(({ at, label }) => (
        <g key={label}>
          <line x1={at} x2={at} y1={0} y2={HEIGHT} />
          <text x={at + 3} y={HEIGHT - 5}>
            {label}
          </text>
        </g>
      ))}
      {view.parallels.map(({ at, label }) => (
        <g key={label}>
          <line x1={0} x2={WIDTH} y1={at} y2={at} />
          <text x={3} y={at - 3}>
            {label}
          </text>
        </g>
      ))}
      {view.ring !== null && <ellipse cx={view.ring.x} cy={view.ring.y} rx={view.ring.rx} ry={view.ring.ry} />}
      {view.dots.map(({ x, y }, i) => (
        <circle key={i} cx={x} cy={y} r={6}>
          <title>{titles[i]!}</title>
        </circle>
      ))}
    </svg>
  );
}

function Hint() {
  return <span class="quiet">The hits of this page that have a place. Click to search around a point.</span>;
}

function Circle({ of }: { of: Around }) {
  const set = (change: Partial<Around>): void => setAround({ ...of, ...change });
  return (
    <div class="row">
      <NumberField label="Latitude" value={of.lat} step={0.1} onNumber={(lat) => set({ lat })} />
      <NumberField label="Longitude" value={of.lng} step={0.1} onNumber={(lng) => set({ lng })} />
      <NumberField
        label="Within, in km"
        value={of.metres / 1000}
        step={1}
        onNumber={(km) => set({ metres: Math.max(0, Math.round(km * 1000)) })}
      />
      <button type="button" onClick={() => setAround(null)}>
        Everywhere
      </button>
    </div>
  );
}

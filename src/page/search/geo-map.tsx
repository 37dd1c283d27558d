/** Where the hits of the page lie: a grid of the globe without any map from elsewhere. Dots tell their titles. */
import { mapOf, type Place } from "./geo.ts";
import { titleOf } from "./look.ts";
import { answer } from "./state.ts";

const WIDTH = 600;
const HEIGHT = 260;

function isPlace(value: unknown): value is Place {
  const { lat, lng } = (value ?? {}) as Partial<Place>;
  return Number.isFinite(lat) && Number.isFinite(lng);
}

export function GeoMap() {
  const hits = answer.value?.hits ?? [];
  const placed = hits.flatMap((hit, place) =>
    isPlace(hit._geo) ? [{ geo: hit._geo, title: titleOf(hit), place }] : [],
  );
  if (placed.length === 0) return null;
  const view = mapOf(
    placed.map(({ geo }) => geo),
    WIDTH,
    HEIGHT,
  );
  return (
    <figure class="map">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Map of ${placed.length} hits`}>
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
        {view.dots.map(({ x, y }, i) => (
          <circle key={placed[i]!.place} cx={x} cy={y} r={6}>
            <title>{placed[i]!.title}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">
        The {placed.length} hits of this page that have a place, {placed.length === 1 ? "at it" : "around each other"}.
      </figcaption>
    </figure>
  );
}

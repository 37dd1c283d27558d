/** The values of the hits with how many have them; a click narrows the search to a value, or widens it again. */
import { linkTo } from "../state/place.ts";
import * as state from "./state.ts";

/** Values shown of one facet at first. */
const SHOWN = 8;
/** Numeric facets with at least this many values are shown as a range. */
const RANGE_FROM = 12;

export function Facets() {
  const { facetDistribution = {}, facetStats = {} } = state.answer.value ?? {};
  const names = Object.keys(facetDistribution).filter((name) => !name.startsWith("_geo"));
  const isNoneFilterable = state.settings.value !== null && state.filterableNames.value.length === 0;
  if (state.answer.value !== null && names.length === 0 && isNoneFilterable) {
    return (
      <p class="quiet">
        No facets. Attributes become facets when they are filterable:{" "}
        <a href={linkTo("indexes", state.index.value, "settings")}>settings</a>.
      </p>
    );
  }
  return (
    <>
      {names.map((name) => {
        const counts = facetDistribution[name]!;
        const bounds = facetStats[name];
        const isRange = bounds !== undefined && Object.keys(counts).length >= RANGE_FROM;
        return isRange || state.ranges.value.has(name) ? (
          <RangeFacet key={name} name={name} bounds={bounds} />
        ) : (
          <ValueFacet key={name} name={name} counts={counts} />
        );
      })}
    </>
  );
}

function ValueFacet({ name, counts }: { name: string; counts: Record<string, number> }) {
  const picked = state.picks.value.get(name) ?? new Set<string>();
  // What was picked stays in sight, also when no hit has it.
  const values = Object.entries({ ...Object.fromEntries([...picked].map((value) => [value, 0])), ...counts });
  values.sort(([a, m], [b, n]) => Number(picked.has(b)) - Number(picked.has(a)) || n - m || (a < b ? -1 : 1));
  const first = values.slice(0, SHOWN);
  const rest = values.slice(SHOWN);
  const show = ([value, count]: [string, number]) => (
    <label key={value} class="facet">
      <input type="checkbox" checked={picked.has(value)} onChange={() => state.togglePick(name, value)} />
      <span class="grow">{value === "" ? "(empty)" : value}</span>
      <span class="count">{count.toLocaleString()}</span>
    </label>
  );
  return (
    <fieldset>
      <legend>{name}</legend>
      {first.map(show)}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          {rest.map(show)}
        </details>
      )}
    </fieldset>
  );
}

function RangeFacet({ name, bounds }: { name: string; bounds: { min: number; max: number } | undefined }) {
  const range = state.ranges.value.get(name) ?? { from: "", to: "" };
  return (
    <fieldset>
      <legend>{name}</legend>
      <div class="row">
        <input
          type="number"
          step="any"
          aria-label={`${name} from`}
          placeholder={bounds === undefined ? "from" : String(bounds.min)}
          value={range.from}
          onInput={(event) => state.setRange(name, { ...range, from: event.currentTarget.value })}
        />
        <span aria-hidden="true">–</span>
        <input
          type="number"
          step="any"
          aria-label={`${name} to`}
          placeholder={bounds === undefined ? "to" : String(bounds.max)}
          value={range.to}
          onInput={(event) => state.setRange(name, { ...range, to: event.currentTarget.value })}
        />
      </div>
    </fieldset>
  );
}

/** Search as you type: the query on top, what narrows it at the side, the hits, and what was asked. */
import { useEffect } from "preact/hooks";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { Choice, Switch } from "../parts/field.tsx";
import { indexes, indexesProblem } from "../state/indexes.ts";
import { go, linkTo } from "../state/place.ts";
import { isWide } from "../state/wide.ts";
import { Facets } from "./facets.tsx";
import { FilterBox } from "./filter-box.tsx";
import { GeoMap } from "./geo-map.tsx";
import { HitList } from "./hit-list.tsx";
import { fieldsOf, pictureOf } from "./look.ts";
import { Paging } from "./paging.tsx";
import { RequestCode } from "./request-code.tsx";
import * as state from "./state.ts";

export function SearchPage({ uid }: { uid: string | undefined }) {
  const known = indexes.value;
  const shown = uid ?? known?.[0]?.uid ?? "";
  useEffect(() => state.pickIndex(shown), [shown]);
  // Documents may have come since the reader was here last.
  useEffect(() => state.searchAgain(), []);
  if (known === null && indexesProblem.value === null) return <Loading what="indexes" />;
  if (shown === "" && known !== null) return <NoIndexes />;
  return (
    <>
      <h1 class="hidden">Search</h1>
      <SearchBar uid={shown} />
      <Problem problem={state.problem.value ?? (shown === "" ? indexesProblem.value : null)} />
      <div class="search">
        <aside aria-label="Narrow the search">
          <details open={isWide.value}>
            <summary class={isWide.value ? "hidden" : ""}>Sort, filters and facets</summary>
            <SortChoice />
            <HybridChoice />
            <FilterBox />
            <Facets />
          </details>
        </aside>
        <section aria-label="Hits">
          <Summary />
          <GeoMap />
          <HitList />
          <Paging />
          <RequestCode />
        </section>
      </div>
    </>
  );
}

function NoIndexes() {
  return (
    <Empty title="There is nothing to search yet">
      <p>
        <a href={linkTo("indexes")}>Create an index</a> and drop a file of documents on it: JSON, NDJSON or CSV.
      </p>
      <p>
        Or look around first: <code>sabre demo</code> (in a checkout <code>npx sabre demo</code>) fills one with sample
        data.
      </p>
    </Empty>
  );
}

function SearchBar({ uid }: { uid: string }) {
  const known = indexes.value?.map((each) => [each.uid, each.uid] as const) ?? [];
  return (
    <search class="bar">
      {known.length > 0 ? (
        <Choice label="Index" value={uid} options={known} onChoice={(name) => go("search", name)} />
      ) : (
        <label class="field">
          <span>Index</span>
          <input value={uid} autocomplete="off" onChange={(event) => go("search", event.currentTarget.value)} />
        </label>
      )}
      <label class="field grow">
        <span>Search</span>
        <input
          type="search"
          placeholder="Type to search"
          value={state.q.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            const text = event.currentTarget.value;
            state.refine(() => {
              state.q.value = text;
            });
          }}
        />
      </label>
    </search>
  );
}

function SortChoice() {
  const sortable = state.settings.value?.sortableAttributes ?? [];
  const names = sortable.filter((name) => name !== "_geo");
  if (names.length === 0) return null;
  const directions = names.flatMap(
    (name) =>
      [
        [`${name}:asc`, `${name}, ascending`],
        [`${name}:desc`, `${name}, descending`],
      ] as const,
  );
  const choose = (value: string): void =>
    state.refine(() => {
      state.sort.value = value;
    });
  return (
    <Choice label="Sort" value={state.sort.value} options={[["", "by relevancy"], ...directions]} onChoice={choose} />
  );
}

function HybridChoice() {
  const names = state.embedderNames.value;
  if (names.length === 0) return null;
  const choose = (value: string): void =>
    state.refine(() => {
      state.embedder.value = value;
    });
  const ratio = state.semanticRatio.value;
  return (
    <>
      <Choice
        label="Semantic search"
        value={state.embedder.value}
        options={[["", "off, keywords only"], ...names.map((name) => [name, `with ${name}`] as const)]}
        onChoice={choose}
      />
      {state.embedder.value !== "" && (
        <label class="field">
          <span>Semantic ratio: {ratio.toFixed(2)}</span>
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value={ratio}
            onInput={(event) => {
              const value = event.currentTarget.valueAsNumber;
              state.refine(() => {
                state.semanticRatio.value = value;
              });
            }}
          />
        </label>
      )}
    </>
  );
}

function Summary() {
  const answer = state.answer.value;
  if (answer === null) return state.problem.value === null ? <Loading what="hits" /> : null;
  const total = answer.totalHits ?? answer.hits.length;
  // The server counts no further than the index is set to.
  const isCut = total >= (state.settings.value?.pagination?.maxTotalHits ?? Number.POSITIVE_INFINITY);
  const semantic = answer.semanticHitCount === undefined ? "" : `, ${answer.semanticHitCount} by meaning`;
  const hasPictures = answer.hits.some((hit) => pictureOf(fieldsOf(hit)) !== null);
  return (
    <div class="row between">
      <p role="status">
        <strong>{total.toLocaleString()}</strong>
        {isCut ? " or more" : ""} {total === 1 ? "hit" : "hits"}
        {semantic} in {answer.processingTimeMs} ms{" "}
        <span class="quiet">({state.roundTripMs.value.toFixed(0)} ms round trip)</span>
      </p>
      {hasPictures && (
        <Switch
          label="Pictures"
          on={state.showsPictures.value}
          onSwitch={(on) => {
            state.showsPictures.value = on;
          }}
        />
      )}
    </div>
  );
}

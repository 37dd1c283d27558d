/** The hits: title, picture and fields with what matched, why a hit is where it is, and what is like it. */
import { useSignal } from "@preact/signals";
import type { Document, Hit } from "../api/types.ts";
import { Empty } from "../parts/feedback.tsx";
import { indexes } from "../state/indexes.ts";
import { MARK_BEGIN } from "./highlight.ts";
import { fieldsOf, pictureOf, shownValue, titleField } from "./look.ts";
import { Marked } from "./marked.tsx";
import { ScoreBars } from "./score-bars.tsx";
import { SimilarDialog } from "./similar.tsx";
import * as state from "./state.ts";

/** Fields shown before the rest is folded away. */
const SHOWN = 5;

export function HitList() {
  const similarTo = useSignal<string | number | null>(null);
  const answer = state.answer.value;
  if (answer === null) return null;
  if (answer.hits.length === 0) {
    return (
      <Empty title="No hits">
        <p>Try fewer or other words, or take back a filter.</p>
      </Empty>
    );
  }
  const primaryKey = indexes.value?.find(({ uid }) => uid === state.index.value)?.primaryKey ?? "id";
  return (
    <>
      <ol class="hits">
        {answer.hits.map((hit, i) => (
          <HitCard
            key={`${hit[primaryKey] ?? i}`}
            hit={hit}
            place={i}
            onSimilar={() => {
              similarTo.value = hit[primaryKey] as string | number;
            }}
          />
        ))}
      </ol>
      {similarTo.value !== null && (
        <SimilarDialog
          id={similarTo.value}
          onClose={() => {
            similarTo.value = null;
          }}
        />
      )}
    </>
  );
}

function HitCard({ hit, place, onSimilar }: { hit: Hit; place: number; onSimilar(): void }) {
  const plain = fieldsOf(hit);
  // Numbers come formatted as texts; where nothing matched, the value is shown as it is.
  const formatted: Document = { ...plain, ...onlyMarked(hit._formatted ?? {}) };
  const title = titleField(plain);
  const unloadable = useSignal<string | null>(null);
  const found = state.showsPictures.value ? pictureOf(plain) : null;
  const picture = found === unloadable.value ? null : found;
  const fields = Object.keys(plain).filter((name) => name !== title && plain[name] !== picture);
  return (
    <li class="hit" id={`hit-${place}`}>
      {picture !== null && (
        <img
          src={picture}
          alt=""
          loading="lazy"
          referrerpolicy="no-referrer"
          onError={() => {
            unloadable.value = picture;
          }}
        />
      )}
      <div class="grow">
        <h2>
          {title === null ? `Document ${place + 1}` : <Marked text={shownValue(formatted[title] ?? plain[title]!)} />}
        </h2>
        <Fields names={fields.slice(0, SHOWN)} values={formatted} />
        {fields.length > SHOWN && (
          <details>
            <summary>{fields.length - SHOWN} more fields</summary>
            <Fields names={fields.slice(SHOWN)} values={formatted} />
          </details>
        )}
        <ScoreBars hit={hit} />
        {state.embedderNames.value.length > 0 && (
          <button type="button" class="small" onClick={onSimilar}>
            Similar documents
          </button>
        )}
      </div>
    </li>
  );
}

function onlyMarked(formatted: Document): Document {
  return Object.fromEntries(Object.entries(formatted).filter(([, value]) => shownValue(value).includes(MARK_BEGIN)));
}

function Fields({ names, values }: { names: readonly string[]; values: Document }) {
  return (
    <dl class="fields">
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Marked text={shownValue(values[name] ?? null)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

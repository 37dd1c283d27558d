/** The search under way: what was set, what was answered. Every change asks anew, at once. */
import { batch, computed, effect, signal } from "@preact/signals";
import { ask, indexPath } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { SearchAnswer, Settings } from "../api/types.ts";
import { key } from "../state/key.ts";
import type { Picks, Range, Ranges } from "./filters.ts";
import type { Around } from "./geo.ts";
import { Latest } from "./latest.ts";
import { pageRequest, type Wanted } from "./request.ts";

/** Which index is searched; empty before one is picked. */
export const index = signal("");
export const q = signal("");
export const filter = signal("");
export const picks = signal<Picks>(new Map());
export const ranges = signal<Ranges>(new Map());
export const around = signal<Around | null>(null);
export const sort = signal("");
export const page = signal(1);
export const embedder = signal("");
export const semanticRatio = signal(0.5);
export const showsPictures = signal(true);

/** Of the index; null where the key may not see them. */
export const settings = signal<Settings | null>(null);
export const answer = signal<SearchAnswer | null>(null);
export const problem = signal<RequestProblem | null>(null);
/** From asking to having the answer, as the browser sees it. */
export const roundTripMs = signal(0);

export const wanted = computed<Wanted>(() => ({
  q: q.value,
  filter: filter.value,
  picks: picks.value,
  ranges: ranges.value,
  around: around.value,
  sort: sort.value,
  page: page.value,
  embedder: embedder.value,
  semanticRatio: semanticRatio.value,
}));

const latest = new Latest();

effect(() => {
  if (index.value !== "") void search(index.value, wanted.value);
});

/** Once more, after documents or settings have changed. */
export function searchAgain(): void {
  if (index.value !== "") void search(index.value, wanted.value);
}

async function search(uid: string, asked: Wanted): Promise<void> {
  const question = latest.ask();
  const startedAt = performance.now();
  try {
    const found = await ask<SearchAnswer>("POST", indexPath(uid, "/search"), { body: pageRequest(asked) });
    if (!latest.admits(question)) return;
    batch(() => {
      roundTripMs.value = performance.now() - startedAt;
      answer.value = found;
      problem.value = null;
    });
  } catch (error) {
    // What is wrong with a filter that is still being typed is wrong no more once something else was asked.
    if (latest.isLast(question) && latest.admits(question)) problem.value = problemOf(error);
  }
}

/** Everything that belongs to another index is forgotten. */
export function pickIndex(uid: string): void {
  if (uid === index.value) return;
  batch(() => {
    index.value = uid;
    filter.value = "";
    picks.value = new Map();
    ranges.value = new Map();
    around.value = null;
    sort.value = "";
    page.value = 1;
    embedder.value = "";
    answer.value = null;
    problem.value = null;
  });
}

effect(() => {
  key.value;
  const uid = index.value;
  settings.value = null;
  if (uid === "") return;
  ask<Settings>("GET", indexPath(uid, "/settings")).then(
    (read) => {
      if (uid === index.value) settings.value = read;
    },
    () => {},
  );
});

/** A change of what is looked for begins at the first page. */
export function refine(change: () => void): void {
  batch(() => {
    change();
    page.value = 1;
  });
}

export function togglePick(attribute: string, value: string): void {
  const values = new Set(picks.value.get(attribute));
  if (!values.delete(value)) values.add(value);
  refine(() => {
    picks.value = new Map(picks.value).set(attribute, values);
  });
}

export function setRange(attribute: string, range: Range): void {
  refine(() => {
    ranges.value = new Map(ranges.value).set(attribute, range);
  });
}

export function setAround(place: Around | null): void {
  refine(() => {
    around.value = place;
  });
}

export const embedderNames = computed(() => Object.keys(settings.value?.embedders ?? {}));
export const filterableNames = computed(() =>
  (settings.value?.filterableAttributes ?? []).flatMap((each) =>
    typeof each === "string" ? [each] : each.attributePatterns,
  ),
);

import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { handlers } from "../../../src/engine/reader/handlers.ts";
import { Rehearsals } from "../../../src/engine/reader/rehearsals.ts";
import type { Handlers } from "../../../src/engine/reader/task.ts";
import { ScratchIndex } from "../../../src/engine/reader/warmup/scratch-index.ts";
import type { Settings } from "../../../src/storage/settings/settings.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { until } from "../../lib/patience.ts";
import { Library } from "../../storage/memory/library.ts";

const FILMS = [
  { id: 1, title: "The quiet harbour", genre: "drama", year: 1984 },
  { id: 2, title: 'A "loud" harbour', genre: 'it\'s "odd"', year: 2001 },
  { id: 3, title: "Nobody knows", genre: "comedy", year: -3 },
  { id: 4, title: "Letters from nowhere at all", genre: "drama", year: 1999 },
];

async function filmIndex(settings: Partial<Settings>): Promise<ScratchIndex> {
  const films = new ScratchIndex("films", { ...defaultSettings(), ...settings }, ["id", "title", "genre", "year"]);
  films.add(FILMS, 0);
  await films.show();
  return films;
}

const SHORT_MS = 50;
const nobodyAsks = (): number => 0;

interface Heard {
  indexUid: string;
  kind: string;
  query: Record<string, unknown>;
  hits: number;
}

/** The same handlers, which note what they were asked and how many hits they found. */
function noting(heard: Heard[]): Handlers {
  return {
    ...handlers,
    "documents.list": (header, payload, context) => {
      heard.push({ indexUid: header.indexUid, kind: "documents", query: {}, hits: 0 });
      return handlers["documents.list"](header, payload, context);
    },
    search: async (header, payload, context) => {
      const reply = await handlers.search(header, payload, context);
      const { hits } = JSON.parse(Buffer.from(reply.body).toString()) as { hits: unknown[] };
      heard.push({ indexUid: header.indexUid, kind: "search", query: { ...header.query }, hits: hits.length });
      return reply;
    },
  };
}

/** Until there is nothing left to do for now. */
async function rehearse(rehearsals: Rehearsals): Promise<void> {
  await rehearsals.step();
  for (let ms = rehearsals.pauseMs; ms !== null; ms = rehearsals.pauseMs) {
    await pause(ms);
    await rehearsals.step();
  }
}

test("questions are made of what documents say, and find them", async () => {
  const films = await filmIndex({
    searchableAttributes: ["title"],
    filterableAttributes: [
      "genre",
      { attributePatterns: ["year"], features: { facetSearch: true, filter: { equality: true, comparison: true } } },
    ],
    sortableAttributes: ["year"],
  });
  const heard: Heard[] = [];
  await rehearse(new Rehearsals(noting(heard), films.catalog, 0, nobodyAsks));

  const searches = heard.filter(({ kind }) => kind === "search");
  assert.ok(searches.length > 10, String(searches.length));
  const found = searches.filter(({ hits }) => hits > 0);
  assert.ok(found.length > searches.length * 0.7, `${found.length} of ${searches.length}`);
  const filters = new Set(searches.map(({ query }) => String(query["filter"] ?? "")));
  assert.ok(filters.has('genre = "drama" AND year >= 1984'), [...filters].join());
  assert.ok([...filters].some((filter) => filter.includes('\\"odd\\"')));
  for (const said of ["filter", "facets", "attributesToHighlight", "sort"]) {
    assert.ok(
      found.some(({ query }) => ((query[said] ?? []) as string | string[]).length > 0),
      said,
    );
  }
});

test("an index without texts, or without documents, is not asked about", async () => {
  const heard: Heard[] = [];
  const silent = await filmIndex({ searchableAttributes: ["year"] });
  const rehearsals = new Rehearsals(noting(heard), silent.catalog, 0, nobodyAsks, SHORT_MS);
  await rehearse(rehearsals);
  assert.deepEqual(
    heard.filter(({ kind }) => kind === "search"),
    [],
  );
  const empty = await filmIndex({});
  await empty.empty();
  heard.length = 0;
  await rehearse(new Rehearsals(noting(heard), empty.catalog, 0, nobodyAsks, SHORT_MS));
  assert.deepEqual(heard, []);
});

test("every index is rehearsed once, and again with other settings", async () => {
  const library = new Library();
  const catalog = library.catalog();
  const heard: Heard[] = [];
  const rehearsals = new Rehearsals(noting(heard), catalog, 0, nobodyAsks, SHORT_MS);
  const next = async (): Promise<string[]> => {
    heard.length = 0;
    await rehearse(rehearsals);
    return [...new Set(heard.map(({ indexUid }) => indexUid))];
  };
  const few = library.manifest("1", [library.segment("1", 0, ["a", "b"], 3)]);
  const many = library.manifest("2", [library.segment("2", 0, ["a", "b", "c"], 3)]);
  await library.publisher.publish({
    put: [
      { uid: "few", manifest: few },
      { uid: "many", manifest: many },
    ],
  });
  assert.deepEqual(await next(), ["many"]);
  assert.deepEqual(await next(), ["few"]);
  assert.deepEqual(await next(), []);

  await library.publisher.publish({ put: [{ uid: "few", manifest: { ...few, version: 2, contentVersion: 2 } }] });
  assert.deepEqual(await next(), []);
  await library.publisher.publish({ put: [{ uid: "few", manifest: { ...few, version: 3, settingsVersion: 2 } }] });
  assert.deepEqual(await next(), ["few"]);
});

test("what was rehearsed is let go of when it is gone", async () => {
  const library = new Library();
  const catalog = library.catalog();
  const manifest = library.manifest("1", [library.segment("1", 0, ["a", "b"], 3)]);
  await library.publisher.publish({ put: [{ uid: "one", manifest }] });
  await rehearse(new Rehearsals(handlers, catalog, 0, nobodyAsks, SHORT_MS));
  const before = library.arenas.liveBytes;
  await library.publisher.publish({ put: [], remove: ["one"] });
  catalog.sweep();
  await until(
    () => {
      library.publisher.collect();
      return library.arenas.liveBytes < before;
    },
    () => "nothing pins the memory of the index",
  );
});

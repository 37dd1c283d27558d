/**
 * Moving in from a server that answers field by field as the interface of Meilisearch is written down: every setting, secrets of
 * embedders, keys with every action, documents that look like answers; and what happens when it refuses, fails or breaks off.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import path from "node:path";
import test, { after, before } from "node:test";
import { ACTIONS } from "../../../src/base/contract/actions.ts";
import { until } from "../../lib/patience.ts";
import { TestServer } from "../../lib/server.ts";
import { run, start } from "./program.ts";
import { StandIn, type StandInData } from "./stand-in.ts";

const KEY = "a master key of some length";
const FROM_KEY = "the key of the other server";
const PAGE = 400;

const SETTINGS = {
  displayedAttributes: ["id", "title", "inner"],
  searchableAttributes: ["title", "inner.text"],
  filterableAttributes: [
    "genre",
    "_geo",
    { attributePatterns: ["inner.*"], features: { facetSearch: true, filter: { equality: true, comparison: false } } },
  ],
  sortableAttributes: ["_geo", "year"],
  rankingRules: ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness", "year:desc"],
  stopWords: ["of", "the"],
  nonSeparatorTokens: ["#"],
  separatorTokens: ["&sep"],
  dictionary: ["J. R. R."],
  synonyms: { film: ["movie"], movie: ["film"] },
  distinctAttribute: "genre",
  proximityPrecision: "byAttribute",
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 4, twoTypos: 8 },
    disableOnWords: ["sabre"],
    disableOnAttributes: ["genre"],
    disableOnNumbers: true,
  },
  faceting: { maxValuesPerFacet: 50, sortFacetValuesBy: { "*": "alpha", genre: "count" } },
  pagination: { maxTotalHits: 500 },
  searchCutoffMs: 1500,
  localizedAttributes: [{ locales: ["jpn"], attributePatterns: ["*_ja"] }],
  facetSearch: false,
  prefixSearch: "disabled",
};
/** Masked as secrets of every length are. */
const EMBEDDERS = {
  own: { source: "userProvided", dimensions: 2, binaryQuantized: false },
  bought: { source: "openAi", model: "text-embedding-3-small", apiKey: "sk-abXXXXXX...", dimensions: 2 },
  near: { source: "ollama", model: "small", apiKey: "XXX...", dimensions: 2, url: "http://192.0.2.1:11434/api/embed" },
  far: {
    source: "rest",
    apiKey: "abXXXX...",
    dimensions: 2,
    url: "http://192.0.2.2/embed",
    request: { input: "{{text}}" },
    response: { data: "{{embedding}}" },
    headers: { "X-Account": "secret of the header" },
  },
  mixed: {
    source: "composite",
    searchEmbedder: { source: "openAi", apiKey: "sk-XXXXX...", model: "text-embedding-3-small", dimensions: 2 },
    indexingEmbedder: { source: "openAi", apiKey: "sk-XXXXX...", model: "text-embedding-3-small", dimensions: 2 },
  },
};

const documents = Array.from({ length: 1500 }, (_, id) => ({
  id,
  title: `"results":[{"id":${id}}],"total":7 \\ ] }`,
  inner: { text: `text ${id}`, list: [[], {}, [{ "]": "[" }]] },
  year: 1900 + (id % 100),
  genre: `g${id % 7}`,
  _geo: { lat: id % 80, lng: -1 - (id % 170) },
  _vectors: {
    bought: { embeddings: [[1, id]], regenerate: true },
    own: { embeddings: [[id, 1]], regenerate: false },
  },
}));
const plain = documents.map(({ id, title }) => ({ id, title }));
const keyOf = (uid: string, more: Record<string, unknown> = {}) => ({
  name: null,
  description: null,
  key: "0".repeat(64),
  uid,
  actions: ["search"],
  indexes: ["*"],
  expiresAt: null,
  ...more,
});
const uidOf = (n: number): string => `2b5a5a3e-6a3f-4d0b-9d0a-${String(n).padStart(12, "0")}`;
const KEYS = [
  keyOf(uidOf(0), { name: "all actions", actions: [...ACTIONS], expiresAt: "2099-01-01T00:00:00Z" }),
  keyOf(uidOf(1), { name: "ended", expiresAt: "2020-01-01T00:00:00Z" }),
  keyOf(uidOf(2), { name: "of tomorrow", actions: ["telepathy.create"] }),
  ...Array.from({ length: 120 }, (_, i) => keyOf(uidOf(i + 3), { description: `key ${i}`, indexes: ["big", "s*"] })),
];

function everything(): StandInData {
  return {
    indexes: {
      big: { primaryKey: "id", settings: { ...SETTINGS, embedders: EMBEDDERS }, documents },
      empty: { primaryKey: null, settings: { ...SETTINGS, distinctAttribute: null, embedders: {} }, documents: [] },
      plain: { primaryKey: "id", settings: { stopWords: ["of"] }, documents: plain },
      small: { primaryKey: "id", settings: {}, documents: documents.slice(0, 3) },
    },
    keys: KEYS,
  };
}

let to: TestServer;
let from: StandIn;
before(async () => {
  to = await TestServer.start({ key: KEY });
});
after(() => to.dispose());

let runs = 0;
/** With a memory of its own, unless one is named. */
function argumentsOf(...more: string[]): { args: string[]; env: Record<string, string> } {
  const args = ["migrate", "--from", from.url, "--url", to.base, "--key", KEY, "--page-size", String(PAGE), ...more];
  return { args, env: { XDG_STATE_HOME: path.join(to.directory, `state-${runs++}`) } };
}
async function migrated(...more: string[]) {
  const { args, env } = argumentsOf("--from-key", FROM_KEY, ...more);
  return await run(args, env);
}
async function withStandIn(work: () => Promise<void>): Promise<void> {
  from = await StandIn.start(everything(), FROM_KEY);
  try {
    await work();
  } finally {
    from.stop();
    for (const uid of ["big", "empty", "plain", "small"]) await to.write("DELETE", `/indexes/${uid}`);
  }
}
async function assertDocuments(uid: string, expected: readonly unknown[]): Promise<void> {
  const path = `/indexes/${uid}/documents?limit=10000${uid === "plain" ? "" : "&retrieveVectors=true"}`;
  assert.deepEqual((await to.request<{ results: unknown[] }>("GET", path)).body.results, expected);
}

test("every setting, every document and every key comes over, and what cannot is named", { timeout: 180_000 }, () =>
  withStandIn(async () => {
    const { status, stdout, stderr } = await migrated();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^big: 1,500 documents, settings$/m);
    assert.match(stdout, /^empty: 0 documents, settings$/m);
    await assertDocuments("big", documents);
    const { body } = await to.request<Record<string, unknown>>("GET", "/indexes/big/settings");
    const { embedders, ...settings } = body;
    for (const [name, value] of Object.entries(SETTINGS)) assert.deepEqual(settings[name], value, name);

    assert.deepEqual(Object.keys(embedders as object).sort(), ["bought", "own"]);
    for (const [name, embedder] of Object.entries(embedders as Record<string, object>)) {
      assert.equal("apiKey" in embedder, false, name);
    }
    for (const place of ["bought", "near", "far", "mixed.searchEmbedder", "mixed.indexingEmbedder"]) {
      assert.ok(
        stderr.includes(`big: the key of the embedder ${place} is not shown by the server: set it here`),
        place,
      );
    }
    assert.match(stderr, /^big: the embedder mixed was left out, which was \{"source":"composite".*: .*feature/m);
    // Documents without their vectors would have to be embedded, which takes the secrets that are not shown.
    assert.match(stderr, /^big: the embedder near was left out, as documents need it: .*embedder `near`/m);
    assert.match(stderr, /^big: the embedder far was left out, as documents need it: .*embedder `far`/m);
    assert.doesNotMatch(stderr, /secret of the header/);

    assert.match(stdout, /^121 keys$/m);
    assert.match(stderr, /^the key ended was left out: /m);
    assert.match(stderr, /^the key of tomorrow was left out: /m);
    const { body: keys } = await to.request<{ results: Record<string, unknown>[] }>("GET", "/keys?limit=1000");
    for (const { uid, name, description, actions, indexes } of KEYS) {
      if (name === "ended" || name === "of tomorrow") continue;
      const ours = keys.results.find((key) => key["uid"] === uid)!;
      assert.deepEqual([ours["name"], ours["description"], ours["indexes"]], [name, description, indexes]);
      assert.deepEqual(new Set(ours["actions"] as string[]), new Set(actions));
    }
    const pages = from.asked.filter((each) => each.startsWith("/indexes/big/documents")).slice(-4);
    assert.deepEqual(
      pages.map((each) => new URL(each, "http://x").searchParams.get("offset")),
      ["0", "400", "800", "1200"],
    );
    assert.equal(from.asked.filter((each) => each.startsWith("/keys")).length, 2);
  }),
);

test(
  "a key that may not is told with its option, and one that may not see keys copies the rest",
  { timeout: 180_000 },
  () =>
    withStandIn(async () => {
      const { args, env } = argumentsOf();
      const keyless = await run(args, env);
      assert.equal(keyless.status, 1);
      assert.match(keyless.stderr, /Authorization header is missing\..* --from-key names one\.\n$/);
      const wrong = await run([...args, "--from-key", "wrong"], env);
      assert.deepEqual(
        [wrong.status, wrong.stderr],
        [1, "sabre-search: The provided API key is invalid. --from-key names another.\n"],
      );
      from.trouble = (asked) => (/settings$/.test(asked) ? 403 : null);
      assert.match((await migrated()).stderr, /made up: 403 --from-key names another\.\n$/);
      from.trouble = (asked) => (asked.startsWith("/keys") ? 403 : null);
      const { status, stdout, stderr } = await migrated("--restart");
      assert.equal(status, 0, stderr);
      assert.match(stderr, /^keys were not copied: made up: 403$/m);
      assert.match(stdout, /^small: 3 documents, settings$/m);
    }),
);

test("an index that is deleted meanwhile does not keep others from being copied", { timeout: 180_000 }, () =>
  withStandIn(async () => {
    const { trouble } = from;
    from.trouble = (asked) => {
      if (asked === "/indexes/big/settings") delete from.data.indexes["big"];
      return trouble(asked);
    };
    const { status, stdout, stderr } = await migrated();
    assert.equal(status, 1);
    assert.match(stderr, /^big: was deleted there meanwhile$/m);
    assert.match(stdout, /^small: 3 documents, settings$/m);
    await assertDocuments("small", documents.slice(0, 3));
    const missing = await migrated("--index", "big,small");
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /^big: there is no such index$/m);
  }),
);

test("a server that is busy, fails or breaks off is asked again", { timeout: 180_000 }, () =>
  withStandIn(async () => {
    const seen = new Map<string, number>();
    const faults = [429, 500, 503, "cut"] as const;
    from.trouble = (asked) => {
      const times = seen.get(asked) ?? 0;
      seen.set(asked, times + 1);
      return times === 0 ? faults[seen.size % faults.length]! : null;
    };
    const { status, stderr } = await migrated();
    assert.equal(status, 0, stderr);
    assert.match(stderr, /made up: 503; trying again/);
    await assertDocuments("big", documents);
    from.trouble = (asked) => (asked.includes("documents") ? 500 : null);
    const given = await migrated("--retry", "0");
    assert.equal(given.status, 1);
    assert.match(given.stderr, /sabre-search: made up: 500\n$/);
    from.stop();
    const gone = await migrated("--retry", "0");
    assert.match(gone.stderr, /^sabre-search: no answer from http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
  }),
);

test("an interrupted run asks for what it lacks, unless the index was written to since", { timeout: 180_000 }, () =>
  withStandIn(async () => {
    const { args, env } = argumentsOf("--from-key", FROM_KEY, "--index", "plain");
    from.trouble = (asked) => (asked.includes("offset=1200") ? 503 : null);
    const child = start(args, env);
    const path = "/tasks?limit=1&indexUids=plain&types=documentAdditionOrUpdate&statuses=succeeded";
    const before = (await to.request<{ total: number }>("GET", path)).body.total;
    await until(
      async () =>
        from.asked.some((each) => each.includes("offset=1200")) &&
        (await to.request<{ total: number }>("GET", path)).body.total >= before + 3,
      () => "three pages have come over",
    );
    child.ref();
    child.kill("SIGKILL");
    await once(child, "exit");
    from.trouble = () => null;
    const from1 = from.asked.length;
    const again = await run(args, env);
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stderr, /^plain: goes on after 1,200 documents$/m);
    const offsets = from.asked.slice(from1).flatMap((each) => /documents\?.*offset=(\d+)/.exec(each)?.[1] ?? []);
    assert.deepEqual(offsets, ["1200"]);
    await assertDocuments("plain", plain);

    from.trouble = (asked) => (asked.includes("offset=1200") ? 500 : null);
    assert.equal((await run([...args, "--retry", "0"], env)).status, 1);
    from.trouble = () => null;
    from.updatedAt = "2026-05-06T07:08:09Z";
    const from2 = from.asked.length;
    const anew = await run(args, env);
    assert.equal(anew.status, 0, anew.stderr);
    assert.doesNotMatch(anew.stderr, /goes on/);
    assert.ok(from.asked.slice(from2).some((each) => each.includes("offset=0")));
  }),
);

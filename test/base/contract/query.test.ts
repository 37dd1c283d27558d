import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDocumentsQuery, parseDocumentsWrite } from "../../../src/base/contract/documents.ts";
import { parseIndexList, parseStatsQuery } from "../../../src/base/contract/indexes.ts";
import { parseSearchQuery } from "../../../src/base/contract/search.ts";
import { parseSimilarQuery } from "../../../src/base/contract/similar.ts";
import { parseBatchUid, parseTaskQuery, parseTaskSelection, parseTaskUid } from "../../../src/base/contract/tasks.ts";
import type { ErrorCode } from "../../../src/base/errors/errors.ts";
import { Dice } from "../../fuzz/random.ts";
import { workedMs } from "../../lib/worked.ts";
import { refusal } from "./refusal.ts";

test("pages have defaults and refuse what is no positive integer", () => {
  assert.deepEqual(parseIndexList(""), { offset: 0, limit: 20 });
  assert.deepEqual(parseIndexList("limit=5&offset=2"), { offset: 2, limit: 5 });
  const error = refusal(() => parseIndexList("limit=-1"));
  assert.equal(error.code, "invalid_index_limit");
  assert.equal(error.message, "Invalid value in parameter `limit`: could not parse `-1` as a positive integer");
  assert.equal(refusal(() => parseIndexList("offset")).code, "invalid_index_offset");
});

test("unknown parameters are refused with a hint", () => {
  const error = refusal(() => parseIndexList("limitt=1"));
  assert.equal(error.code, "bad_request");
  assert.equal(error.message, "Unknown parameter `limitt`: did you mean `limit`? expected one of `offset`, `limit`");
});

test("plus signs and percent signs are decoded", () => {
  const { filter, fields } = parseDocumentsQuery("filter=a+%3D+1&fields=x%2Cy");
  assert.equal(filter, "a = 1");
  assert.deepEqual(fields, ["x", "y"]);
  assert.deepEqual(parseDocumentsQuery('filter=["a=1",["b=2"]]').filter, ["a=1", ["b=2"]]);
});

test("a star among the fields means all of them", () => {
  assert.equal(parseDocumentsQuery("fields=a,*").fields, null);
});

test("commas of a point do not part a sort", () => {
  assert.deepEqual(parseSearchQuery("sort=_geoPoint(1.5,-2):asc,price:desc").sort, [
    "_geoPoint(1.5,-2):asc",
    "price:desc",
  ]);
});

test("a sort is parted as a look ahead from each comma would, but in one go", () => {
  const dice = new Dice(7);
  const ahead = (text: string): string[] => text.split(/,(?![^()]*\))/);
  for (let i = 0; i < 2000; i++) {
    const text = dice.times(12, () => dice.of([",", "(", ")", "a", "b:asc"])).join("");
    assert.deepEqual(parseSearchQuery(`sort=${text}`).sort, ahead(text), text);
  }
  const before = process.cpuUsage();
  assert.equal(parseSearchQuery(`sort=${",".repeat(60_000)}`).sort?.length, 60_001);
  const { user, system } = process.cpuUsage(before);
  // From each comma to the end it took half a second.
  assert.ok(user + system < 100_000, `${user + system} µs`);
});

test("lists as long as a head may be are read about as quickly as they are parted", () => {
  const uids = Array.from({ length: 30_000 }, (_, i) => i % 10);
  const list = uids.join(",");
  assert.deepEqual(parseTaskQuery(`uids=${list}`).uids, uids);
  const best = (work: () => void): number => Math.min(...Array.from({ length: 7 }, () => workedMs(work)));
  const parted = best(() => list.split(",").map(Number));
  const read = best(() => parseTaskQuery(`uids=${list}`));
  assert.ok(read < 2 * parted, `${read} ms, parted in ${parted}`);
  assert.equal(
    refusal(() => parseTaskQuery("uids=1,x")).message,
    "Invalid value in parameter `uids[1]`: could not parse `x` as a positive integer",
  );
});

test("task filters: lists, stars, names in any case, the older name of a type", () => {
  const query = parseTaskQuery(
    "uids=1,2&statuses=Succeeded,*&types=SETTINGSUPDATE,databaseUpgrade&indexUids=a,b&reverse=true",
  );
  assert.deepEqual(query.uids, [1, 2]);
  assert.equal(query.statuses, "*");
  assert.deepEqual(query.types, ["settingsUpdate", "upgradeDatabase"]);
  assert.deepEqual(query.indexUids, ["a", "b"]);
  assert.equal(query.reverse, true);
  assert.deepEqual([query.limit, query.from, query.batchUids], [20, null, null]);
});

test("nothing between commas is no element of a list", () => {
  const query = parseTaskQuery("uids=&statuses=,&types=,settingsUpdate,&indexUids=a,,b");
  assert.deepEqual(
    [query.uids, query.statuses, query.types, query.indexUids],
    [[], [], ["settingsUpdate"], ["a", "b"]],
  );
  assert.deepEqual(parseDocumentsQuery("ids=").ids, []);
  assert.deepEqual(parseSearchQuery("facets=&locales=").facets, []);
});

test("dates: a bare day before is its beginning, after is its end", () => {
  const day = Date.UTC(2024, 0, 31) * 1000;
  assert.equal(parseTaskQuery("beforeStartedAt=2024-01-31").beforeStartedAt, day);
  assert.equal(parseTaskQuery("afterStartedAt=2024-01-31").afterStartedAt, day + 86_400_000_000);
  assert.equal(parseTaskQuery("afterStartedAt=2024-01-31T01:00:00.000001%2B01:00").afterStartedAt, day + 1);
  assert.equal(parseTaskQuery("afterFinishedAt=*").afterFinishedAt, "*");
});

test("a selection of tasks needs a filter, and repeats the query as it came", () => {
  assert.equal(refusal(() => parseTaskSelection("")).code, "missing_task_filters");
  assert.equal(refusal(() => parseTaskSelection("limit=1")).code, "bad_request");
  const { filters, originalFilter } = parseTaskSelection("indexUids=a%2Cb&statuses=*");
  assert.deepEqual(filters.indexUids, ["a", "b"]);
  assert.equal(filters.statuses, "*");
  assert.equal(originalFilter, "?indexUids=a%2Cb&statuses=*");
});

const refused: [(query: string) => unknown, string, ErrorCode, RegExp][] = [
  [parseTaskQuery, "uids=1,dogo", "invalid_task_uids", /parameter `uids\[1\]`/],
  [parseTaskQuery, "uids=dogo", "invalid_task_uids", /parameter `uids`/],
  [parseTaskQuery, "uids=4294967296", "invalid_task_uids", /positive integer/],
  [parseTaskQuery, "batchUids=x", "invalid_batch_uids", /batchUids/],
  [parseTaskQuery, "types=doggo", "invalid_task_types", /`documentAdditionOrUpdate`/],
  [parseTaskQuery, "indexUids=the%20good", "invalid_index_uid", /indexUids/],
  [parseTaskQuery, "reverse=*", "invalid_task_reverse", /boolean/],
  [parseTaskQuery, "beforeEnqueuedAt=2024-02-31", "invalid_task_before_enqueued_at", /date/],
  [parseTaskUid, "x", "invalid_task_uids", /`x`/],
  [parseBatchUid, "-1", "invalid_batch_uids", /`-1`/],
  [parseDocumentsWrite, "csvDelimiter", "invalid_document_csv_delimiter", /ASCII/],
  [parseDocumentsWrite, "csvDelimiter=%F0%9F%8D%B0", "invalid_document_csv_delimiter", /ASCII/],
  [parseDocumentsWrite, "skipCreation=maybe", "invalid_skip_creation", /boolean/],
  [parseDocumentsQuery, "ids=1,a/b", "invalid_document_ids", /ids\[1\]/],
  [parseDocumentsQuery, "retrieveVectors=", "invalid_document_retrieve_vectors", /boolean/],
  [parseStatsQuery, "sizeFormat=humna", "invalid_stats_size_format", /did you mean `human`/],
  [parseSearchQuery, "hybridSemanticRatio=0.5", "invalid_search_hybrid_query", /hybridEmbedder/],
  [parseSearchQuery, "hybridEmbedder=a&hybridSemanticRatio=1.2", "invalid_search_semantic_ratio", /between/],
  [parseSearchQuery, "filter=null", "invalid_search_filter", /null/],
  [parseSearchQuery, "locales=xx", "invalid_search_locales", /`xx`/],
  [parseSearchQuery, "vector=1,x", "invalid_search_vector", /vector\[1\]/],
  [parseSimilarQuery, "embedder=a", "bad_request", /Missing parameter `id`/],
  [parseSimilarQuery, "id=a/b&embedder=a", "invalid_similar_id", /identifier/],
];

for (const [parse, query, code, message] of refused) {
  test(`refuses ?${query}`, () => {
    const error = refusal(() => parse(query));
    assert.equal(error.code, code);
    assert.match(error.message, message);
  });
}

test("a delimiter is one ASCII code", () => {
  assert.equal(parseDocumentsWrite("csvDelimiter=;").csvDelimiter, 59);
  assert.deepEqual(parseDocumentsWrite("skipCreation=TRUE&customMetadata=x").skipCreation, true);
});

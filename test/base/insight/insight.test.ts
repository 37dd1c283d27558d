/** Counting, keeping and forgetting, with days that pass as the tests want. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Book } from "../../../src/base/insight/book.ts";
import { DAY_MS, dayOf, dayText } from "../../../src/base/insight/days.ts";
import { Insight } from "../../../src/base/insight/insight.ts";
import { countedQuery } from "../../../src/base/insight/query-text.ts";
import { Slowest } from "../../../src/base/insight/slowest.ts";
import {
  clickedDocuments,
  countsByDay,
  queriesWithoutHits,
  slowQueries,
  topQueries,
} from "../../../src/base/insight/views.ts";
import { limits } from "../../../src/base/limits.ts";
import { Log } from "../../../src/base/log/log.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const DAY = dayOf("2026-05-17")!;

class Clock {
  day = DAY;
  readonly now = () => this.day * DAY_MS + 3_600_000;
}

function counting(folder: string, clock = new Clock(), book = new Book()) {
  const told: string[] = [];
  const log = new Log("warn", "human", (line) => told.push(line));
  return { insight: new Insight({ folder, log, now: clock.now, book }), told, clock };
}

const ofDay = (insight: Insight, uid = "a", from = DAY, to = DAY) => insight.between(uid, from, to);

describe("what is searched", () => {
  it("is counted by query, index and day", async () => {
    const { insight, clock } = counting(temporaryDirectory());
    for (const query of ["Batman", " batman ", "joker", null]) insight.search("a", query, 3, 10);
    insight.search("a", "nothing", 0, 40);
    insight.search("a", "of many", null, 1);
    insight.search("b", "elsewhere", 0, 1);
    insight.click({ indexUid: "a", query: "BATMAN", documentId: "7", position: 2 });
    clock.day++;
    insight.search("a", "batman", 1, 30);
    const [today, yesterday] = ofDay(insight, "a", DAY, DAY + 1);
    assert.deepEqual([today!.day, yesterday!.day], [DAY + 1, DAY]);
    assert.deepEqual(topQueries([today!, yesterday!], 1), [
      { query: "batman", count: 3, countError: 0, averageTimeMs: 16.667, clicks: 1, clickThroughRate: 0.333 },
    ]);
    assert.deepEqual(queriesWithoutHits([yesterday!], 9), [{ query: "nothing", count: 1, countError: 0 }]);
    assert.deepEqual(slowQueries([today!, yesterday!], 2), [
      { query: "nothing", slowestTimeMs: 40, averageTimeMs: 40, count: 1 },
      { query: "batman", slowestTimeMs: 30, averageTimeMs: 16.667, count: 3 },
    ]);
    assert.deepEqual(clickedDocuments([yesterday!], 9), [
      { query: "batman", documentId: "7", count: 1, countError: 0, averagePosition: 2 },
    ]);
    assert.deepEqual(
      countsByDay([today!, yesterday!], 9).map(({ day, searches, searchesWithoutHits, clicks }) => [
        day,
        searches,
        searchesWithoutHits,
        clicks,
      ]),
      [
        ["2026-05-18", 1, 0, 0],
        ["2026-05-17", 6, 1, 1],
      ],
    );
    await insight.stop();
  });

  it("is one query whatever its case and blanks, and short", () => {
    assert.equal(countedQuery("  Two\t  Words "), "two words");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (query) => {
        const counted = countedQuery(query);
        // A letter may become two in lower case.
        assert.ok(counted.length <= limits.insightQueryUnits * 2);
        assert.ok(counted.isWellFormed());
      }),
    );
    const words = fc.string({ unit: fc.constantFrom(..."aZ 9!\té"), maxLength: 12 });
    fc.assert(
      fc.property(words, (query) => {
        assert.equal(countedQuery(query), query.trim().split(/\s+/).join(" ").toLowerCase());
      }),
    );
  });

  it("is kept among the slowest exactly if few others are slower", () => {
    const times = fc.array(fc.tuple(fc.nat(30).map(String), fc.nat(1000)), { maxLength: 100 });
    fc.assert(
      fc.property(times, (searches) => {
        const slowest = new Slowest(8);
        const longest = new Map<string, number>();
        for (const [query, ms] of searches) {
          slowest.add(query, ms);
          longest.set(query, Math.max(ms, longest.get(query) ?? 0));
        }
        const expected = [...longest.values()].sort((a, b) => b - a).slice(0, 8);
        const kept = [...slowest.all()];
        assert.deepEqual(
          kept.map(({ slowestMs }) => slowestMs).sort((a, b) => b - a),
          expected,
        );
      }),
    );
  });
});

describe("memory", () => {
  it("is bounded, and the oldest days make room", () => {
    const book = new Book(1_000_000);
    for (let day = 0; day < 20; day++) {
      for (let i = 0; i < 2000; i++) {
        book.search({ indexUid: `index ${i % 5}`, query: `query ${i} of ${day}`, found: i % 2, ms: i }, day);
        assert.ok(book.bytes <= 1_000_000);
      }
    }
    assert.ok(book.bytes > 800_000);
    assert.equal(book.between("index 0", 0, 10).length, 0);
    assert.equal(book.between("index 0", 19, 19).length, 1);
    book.keepIndexes(() => false);
    assert.equal(book.bytes, 0);
  });

  it("ends after so many days, on disk as well", async () => {
    const folder = temporaryDirectory();
    const { insight, clock } = counting(folder);
    insight.search("a", "old", 1, 1);
    await insight.write();
    assert.deepEqual(readdirSync(folder), [`${dayText(DAY)}.ndjson`]);
    clock.day += limits.insightDays - 1;
    assert.equal(ofDay(insight).length, 1);
    clock.day++;
    assert.equal(ofDay(insight).length, 0);
    await insight.stop();
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe("files", () => {
  it("bring back all that was counted", async () => {
    const folder = temporaryDirectory();
    const { insight } = counting(folder);
    for (let i = 0; i < 2000; i++) insight.search(i % 3 === 0 ? "a" : "b", `q${i % 400}`, i % 5, i % 90);
    insight.click({ indexUid: "a", query: "q0", documentId: "1", position: 1 });
    const views = [topQueries, queriesWithoutHits, slowQueries, clickedDocuments, countsByDay];
    const shown = (from: Insight) => ["a", "b"].map((uid) => views.map((view) => view(ofDay(from, uid), 1000)));
    const before = shown(insight);
    await insight.stop();
    const again = counting(folder);
    assert.deepEqual(shown(again.insight), before);
    again.insight.search("a", "q0", 1, 1);
    assert.equal(ofDay(again.insight)[0]!.sheet.totals.searches, 668);
    await again.insight.stop();
    assert.deepEqual(again.told, []);
  });

  it("that are damaged are left out, and said to be", async () => {
    const folder = temporaryDirectory();
    const { insight } = counting(folder);
    insight.search("a", "query", 1, 1);
    await insight.stop();
    const file = path.join(folder, `${dayText(DAY)}.ndjson`);
    const text = readFileSync(file, "utf8");
    for (const damaged of [text.replace("query", "qvery"), text.slice(0, 20), "", "{}"]) {
      writeFileSync(file, damaged);
      const again = counting(folder);
      assert.equal(ofDay(again.insight).length, 0, damaged);
      assert.equal(again.told.length, 1);
      await again.insight.stop();
      assert.ok(again.told[0]!.includes("damaged"));
    }
  });

  it("that cannot be written stop nothing", async () => {
    const folder = temporaryDirectory();
    const { insight, told, clock } = counting(path.join(folder, "insight"));
    writeFileSync(path.join(folder, "insight"), "no folder");
    insight.search("a", "query", 1, 1);
    assert.equal(ofDay(insight).length, 1);
    clock.day++;
    insight.search("a", "query", 1, 1);
    await insight.write();
    await insight.write();
    assert.equal(told.length, 1, "said once");
    rmSync(path.join(folder, "insight"));
    await insight.stop();
    const days = [DAY, DAY + 1].map((day) => `${dayText(day)}.ndjson`);
    assert.deepEqual(readdirSync(path.join(folder, "insight")).sort(), days, "nothing is forgotten meanwhile");
  });
});

describe("indexes", () => {
  it("take their counts with them", async () => {
    const folder = temporaryDirectory();
    const { insight } = counting(folder);
    for (const uid of ["a", "b", "c"]) insight.search(uid, uid, 1, 1);
    await insight.write();
    insight.forget("a");
    insight.rename("b", "d");
    insight.keepIndexes(new Set(["d"]));
    await insight.stop();
    const text = readFileSync(path.join(folder, `${dayText(DAY)}.ndjson`), "utf8");
    const { insight: again } = counting(folder);
    assert.deepEqual(
      ["a", "b", "c", "d"].map((uid) => ofDay(again, uid).length),
      [0, 0, 0, 1],
    );
    assert.ok(!text.includes('"a"'));
    await again.stop();
  });
});

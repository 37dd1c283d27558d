/** What the page works out by itself: filters, code to paste, marks, order of answers, places, events. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import fc from "fast-check";
import { EventReader } from "../../src/page/api/events.ts";
import { bytesText, durationText } from "../../src/page/parts/format.ts";
import { clientCodeOf, curlOf } from "../../src/page/search/code.ts";
import { and, condition, quoted, wholeFilter } from "../../src/page/search/filters.ts";
import { mapOf } from "../../src/page/search/geo.ts";
import { MARK_BEGIN, MARK_END, piecesOf } from "../../src/page/search/highlight.ts";
import { Latest } from "../../src/page/search/latest.ts";
import { fieldsOf, pictureOf, shownValue, titleOf } from "../../src/page/search/look.ts";
import { plainRequest, type Wanted } from "../../src/page/search/request.ts";

const WANTED: Wanted = {
  q: "it's",
  filter: "year > 1990 OR new = true",
  picks: new Map([["genre", new Set(["Sci-Fi", 'a "b"'])]]),
  ranges: new Map([["price", { from: "1.5", to: "" }]]),
  sort: "year:desc",
  page: 2,
  around: null,
  embedder: "",
  semanticRatio: 0.5,
};

test("a filter joins what was typed, picked and bounded", () => {
  assert.deepEqual(wholeFilter(WANTED.filter, WANTED.picks, WANTED.ranges, { lat: 1.5, lng: -2, metres: 3000 }), [
    "year > 1990 OR new = true",
    ['genre = "Sci-Fi"', 'genre = "a \\"b\\""'],
    "price >= 1.5",
    "_geoRadius(1.5, -2, 3000)",
  ]);
  assert.equal(wholeFilter("  ", new Map([["genre", new Set<string>()]]), new Map(), null), undefined);
});

test("conditions are put together as the language of filters wants them", () => {
  assert.equal(condition("year", "TO", "1990, 2000"), "year 1990 TO 2000");
  assert.equal(condition("genre", "IN", "Drama, Film noir"), 'genre IN ["Drama", "Film noir"]');
  assert.equal(condition("the year", "EXISTS", "ignored"), '"the year" EXISTS');
  assert.equal(condition("year", ">=", " 7 "), "year >= 7");
  assert.equal(and("", "a = 1"), "a = 1");
  assert.equal(and("a = 1", "b = 2"), "a = 1 AND b = 2");
  assert.equal(and("a = 1 OR a = 3", "b = 2"), "(a = 1 OR a = 3) AND b = 2");
});

test("quotes hold whatever stands between them", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const text = quoted(value);
      assert.equal(text.slice(1, -1).replace(/\\(["\\])/g, "$1"), value);
      assert.doesNotMatch(text.slice(1, -1).replace(/\\["\\]/g, ""), /["\\]/);
    }),
  );
});

test("a shell reads from the code for curl what was asked, and no key stands in it", () => {
  const code = curlOf({ origin: "http://localhost:7700", index: "my films", hasKey: true }, plainRequest(WANTED));
  const args = execFileSync("sh", ["-c", code.replace(/^curl/, "printf '%s\\n--next--\\n'")], { encoding: "utf8" });
  const words = args.split("\n--next--\n");
  assert.ok(words.includes("http://localhost:7700/indexes/my%20films/search"));
  assert.deepEqual(JSON.parse(words.find((word) => word.startsWith("{"))!), plainRequest(WANTED));
  assert.ok(words.includes("Authorization: Bearer "));
});

test("the code for a program is a program", () => {
  const code = clientCodeOf({ origin: "http://localhost:7700", index: 'a"b', hasKey: false }, plainRequest(WANTED));
  const asked: unknown[] = [];
  class Meilisearch {
    index(uid: string) {
      return { search: (...args: unknown[]) => asked.push(uid, ...args) };
    }
  }
  const body = code.replace(/^import.*\n/, "").replace("await ", "");
  new Function("Meilisearch", "console", body)(Meilisearch, { log: () => {} });
  const { q, ...rest } = plainRequest(WANTED);
  assert.deepEqual(asked, ['a"b', q, rest]);
});

test("marked texts come apart and lose nothing", () => {
  assert.deepEqual(piecesOf(`a ${MARK_BEGIN}b${MARK_END} <i>c</i>`), [
    { text: "a ", marked: false },
    { text: "b", marked: true },
    { text: " <i>c</i>", marked: false },
  ]);
  const parts = fc.array(fc.tuple(fc.string(), fc.boolean()));
  fc.assert(
    fc.property(parts, (pieces) => {
      const text = pieces.map(([piece, marked]) => (marked ? `${MARK_BEGIN}${piece}${MARK_END}` : piece)).join("");
      assert.equal(
        piecesOf(text)
          .map((piece) => piece.text)
          .join(""),
        text.replaceAll(MARK_BEGIN, "").replaceAll(MARK_END, ""),
      );
    }),
  );
});

test("of answers in any order the newest stays", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 1 }), (order) => {
      const latest = new Latest();
      for (let i = 0; i < 5; i++) latest.ask();
      const shown = order.filter((question) => latest.admits(question));
      assert.equal(shown.at(-1), Math.max(...order));
      assert.deepEqual(shown, shown.toSorted());
    }),
  );
});

test("a document shows its title and its picture", () => {
  const hit = { id: 7, name: "Emma", poster: "https://example.org/emma", _rankingScore: 1, _formatted: {} };
  assert.deepEqual(Object.keys(fieldsOf(hit)), ["id", "name", "poster"]);
  assert.equal(titleOf(hit), "Emma");
  assert.equal(pictureOf(fieldsOf(hit)), "https://example.org/emma");
  assert.equal(pictureOf({ poster: "http://example.org/emma.png" }), null, "which the browser would not load");
  assert.equal(titleOf({ id: 7 }), '{"id":7}');
});

test("values read as people write them", () => {
  assert.equal(shownValue({ lat: 48.86, lng: -2.5 }), "48.86, -2.5");
  assert.equal(shownValue(["a", 1, null]), "a, 1, null");
  assert.equal(shownValue({ lat: 1, lng: 2, name: "x" }), '{"lat":1,"lng":2,"name":"x"}');
});

test("every place lies on the map, and the north above the south", () => {
  const place = fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 20 }), (places) => {
      const { dots, meridians, parallels } = mapOf(places, 600, 300, null);
      for (const [i, { x, y }] of dots.entries()) {
        assert.ok(x > 0 && x < 600 && y > 0 && y < 300);
        for (const [j, other] of dots.entries()) if (places[i]!.lat > places[j]!.lat) assert.ok(y <= other.y);
      }
      assert.ok(meridians.length > 0 && meridians.length < 10 && parallels.length > 0 && parallels.length < 10);
    }),
  );
});

test("a point of the map is the place that is drawn there, and a circle fits on it", () => {
  const lat = fc.integer({ min: -80, max: 80 });
  const lng = fc.integer({ min: -170, max: 170 });
  const around = fc.record({ lat, lng, metres: fc.integer({ min: 1, max: 500_000 }) });
  fc.assert(
    fc.property(fc.array(fc.record({ lat, lng }), { maxLength: 5 }), around, (places, middle) => {
      const { dots, ring, placeAt, metres } = mapOf(places, 600, 300, middle);
      for (const [i, place] of [...places, middle].entries()) {
        const back = placeAt(dots[i] ?? ring!);
        assert.ok(Math.abs(back.lat - place.lat) < 1e-3 && Math.abs(back.lng - place.lng) < 1e-3);
      }
      assert.ok(
        ring!.x - ring!.rx >= 0 && ring!.x + ring!.rx <= 600 && ring!.y - ring!.ry >= 0 && ring!.y + ring!.ry <= 300,
      );
      assert.ok(metres > 0);
    }),
  );
});

test("events are read however the bytes are cut", () => {
  const text = ': hello\n\nid: 1\nevent: task\ndata: {"uid":1}\n\ndata: a\ndata: b\r\n\r\nevent: late\n';
  const expected = [
    { event: "task", data: '{"uid":1}' },
    { event: "message", data: "a\nb" },
  ];
  for (let cut = 0; cut <= text.length; cut++) {
    const reader = new EventReader();
    assert.deepEqual([...reader.read(text.slice(0, cut)), ...reader.read(text.slice(cut))], expected, `cut at ${cut}`);
  }
});

test("sizes and times are told in words", () => {
  assert.deepEqual([0, 999, 1500, 123_456_789].map(bytesText), ["0 B", "999 B", "1.5 kB", "123 MB"]);
  assert.deepEqual(["PT0.0123S", "PT2.5S", "PT1H2M3S", null].map(durationText), ["12 ms", "2.5 s", "62 min 3 s", ""]);
});

/** Compiled passes over documents against their plain twins, which say what is right. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DocumentLayer } from "../../../src/base/document/lay.ts";
import { storeDocument } from "../../../src/base/document/order.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import { scanPlainIds } from "../../../src/base/payload/plain-ids.ts";
import { type PreparedPayload, preparePayload } from "../../../src/base/payload/prepare.ts";
import { checkDocuments } from "../../../src/base/payload/quick-check.ts";
import { RangeList } from "../../../src/base/payload/ranges.ts";
import { scanPayload } from "../../../src/base/payload/scan.ts";
import { stringsOf } from "../document/ids.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const blank = fc.constantFrom("", "", "", " ", "\n", "\t ", "\r\n");
const string = fc.oneof(
  fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)),
  fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u00e9\\ud83d\\ude00"',
    '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
    '"a long text without any escape in it at all"',
  ),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("0", "-0", "1e5", "1E-05", "-1.5e+99", "1e308", "9".repeat(250), "0.000001", "1e0300"),
);
const value = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    string,
    number,
    fc.constantFrom("true", "false", "null"),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(blank, fc.array(tie("value"), { maxLength: 4 }), blank)
    .map(([before, values, after]) => `[${before}${values.join(`${after},${before}`)}${after}]`),
  object: fc
    .tuple(blank, fc.array(fc.tuple(string, blank, tie("value")), { maxLength: 4 }), blank)
    .map(
      ([before, members, after]) =>
        `{${before}${members.map(([name, gap, own]) => `${name}${gap}:${after}${own}`).join(`${after},${before}`)}${after}}`,
    ),
})).value;

const id = fc.oneof(fc.nat().map(String), fc.constantFrom('"a-b_C9"', "-5", '"007"', "18446744073709551615"));
const name = fc.constantFrom("a", "b", "title", "ключ", "c d", 'q"q', "e\n");
const document = fc
  .record({
    id,
    members: fc.array(fc.tuple(name, value), { maxLength: 5 }),
    at: fc.nat(5),
    blanks: fc.tuple(blank, blank, blank),
  })
  .map(({ id: own, members, at, blanks: [before, between, after] }) => {
    const spelled = members.map(([key, text]) => `${JSON.stringify(key)}${between}:${after}${text}`);
    spelled.splice(at, 0, `"id"${after}:${between}${own}`);
    return `{${before}${spelled.join(`${after},${before}`)}${between}}`;
  });
const documents = fc.array(document, { minLength: 1, maxLength: 12 });

/** What the scanner says, which small bodies go to. */
function plainly(body: Uint8Array, format: "json" | "ndjson"): PreparedPayload | null {
  try {
    return preparePayload(body, format);
  } catch {
    return null;
  }
}

function compiled(body: Uint8Array, format: "json" | "ndjson"): number[] | null {
  const ranges = new RangeList();
  const start = format === "json" ? body.indexOf(0x5b) + 1 : 0;
  const end = checkDocuments(body, start, format === "json", ranges);
  return end < 0 || Buffer.from(body.subarray(end)).toString().trim() !== "" ? null : [...ranges.finish()];
}

test("good bodies are taken, with the same ranges", () => {
  fc.assert(
    fc.property(documents, blank, fc.constantFrom("json", "ndjson"), (docs, gap, format) => {
      const text = format === "json" ? `${gap}[${gap}${docs.join(`${gap},${gap}`)}${gap}]${gap}` : docs.join(gap) + gap;
      const body = encode(text);
      const expected = plainly(body, format);
      assert.ok(expected !== null);
      assert.deepEqual(compiled(body, format), [...expected.ranges]);
    }),
    { numRuns: 500 },
  );
});

test("bodies with a mistake are refused wherever the scanner refuses them", () => {
  const slip = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    text: fc.constantFrom(
      "",
      ",",
      "}",
      "]",
      "{",
      "[",
      '"',
      "\\",
      ":",
      "0",
      "\n",
      "x",
      "e",
      "-",
      ".",
      "\\u12",
      "\u0001",
    ),
    cut: fc.nat(2),
  });
  let refused = 0;
  fc.assert(
    fc.property(documents, slip, fc.constantFrom("json", "ndjson"), (docs, { at, text, cut }, format) => {
      const good = format === "json" ? `[${docs.join(",")}]` : docs.join("\n");
      const place = Math.floor(at * good.length);
      const body = encode((good.slice(0, place) + text + good.slice(place + cut)).toWellFormed());
      if (format === "json" && body[0] !== 0x5b) return;
      const expected = plainly(body, format);
      if (expected === null) refused++;
      assert.deepEqual(compiled(body, format), expected === null ? null : [...expected.ranges]);
    }),
    { numRuns: 2000 },
  );
  assert.ok(refused > 500);
});

test("depth and range of numbers are bounded as in the scanner", () => {
  const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  for (const text of [
    nested(128),
    nested(129),
    '{"a":1e309}',
    '{"a":-1e400}',
    '{"a":1e-400}',
    `{"a":${"9".repeat(400)}}`,
  ]) {
    const body = encode(text);
    const expected = plainly(body, "ndjson");
    assert.deepEqual(compiled(body, "ndjson"), expected === null ? null : [...expected.ranges], text);
  }
});

test("documents that cross slabs, and one larger than a slab", () => {
  const docs = Array.from({ length: 3000 }, (_, i) => JSON.stringify({ id: i, t: "\\u0041 é ".repeat(100 + (i % 7)) }));
  docs.splice(1500, 0, JSON.stringify({ id: "big", t: "x\n".repeat(1_500_000) }));
  const body = encode(docs.join("\n"));
  const ranges = compiled(body, "ndjson")!;
  assert.equal(ranges.length, 2 * docs.length);
  docs.forEach((doc, i) => {
    assert.equal(ranges[2 * i + 1]! - ranges[2 * i]!, Buffer.byteLength(doc));
  });
  const payload = { bytes: body, ranges: Uint32Array.from(ranges) };
  assert.deepEqual(stringsOf(scanPlainIds(payload, "id")!.ids).slice(1498, 1502), ["1498", "1499", "big", "1500"]);
  assert.equal(checkDocuments(body.subarray(0, body.length - 1), 0, false, new RangeList()), -1);
});

test("ids and names are those of the plain scan", () => {
  let taken = 0;
  fc.assert(
    fc.property(documents, (docs) => {
      const payload = preparePayload(encode(docs.join("\n")), "ndjson");
      const expected = scanPayload(payload, "id");
      const found = scanPlainIds(payload, "id");
      if (found === null) return;
      taken++;
      assert.equal(expected.error, null);
      assert.deepEqual(stringsOf(found.ids), stringsOf(expected.ids));
      assert.deepEqual(found.fields, expected.fields);
    }),
    { numRuns: 400 },
  );
  assert.ok(taken > 100);
  for (const bad of ['{"id":1.5}', '{"id":""}', '{"id":-0}', '{"id":null}', '{"a":1}', '{"id":"a b"}', '{"id":[1]}']) {
    assert.equal(scanPlainIds(preparePayload(encode(`{"id":1}\n${bad}`), "ndjson"), "id"), null, bad);
  }
});

test("ids are known to ascend when they are numbers, each above the one before", () => {
  const ascends = (ids: readonly string[]): boolean =>
    ids.every(
      (id, i) => /^(0|[1-9]\d*)$/.test(id) && Number(id) < 2 ** 32 && (i === 0 || Number(ids[i - 1]) < Number(id)),
    );
  const odd = fc.constantFrom("00", "a", "-1", "4294967295", "4294967296", "99999999999");
  const ids = fc.oneof(
    fc.array(fc.oneof(fc.nat(30).map(String), odd), { minLength: 1, maxLength: 6 }),
    fc.uniqueArray(fc.nat(), { minLength: 1 }).map((numbers) => numbers.sort((a, b) => a - b).map(String)),
  );
  fc.assert(
    fc.property(ids, fc.boolean(), (list, asText) => {
      const docs = list.map((id) => (asText || !/^(0|-?[1-9]\d*)$/.test(id) ? `{"id":"${id}"}` : `{"id":${id}}`));
      const scan = scanPlainIds(preparePayload(encode(docs.join("\n")), "ndjson"), "id");
      assert.equal(scan!.isAscending, ascends(list));
    }),
  );
});

test("laid documents are those stored one by one", () => {
  const orders = fc.shuffledSubarray(["id", "a", "b", "title", "ключ", "c d", 'q"q', "e\n"], { minLength: 6 });
  fc.assert(
    fc.property(documents, orders, (docs, names) => {
      const order = new Map(names.map((own, rank) => [own, rank]));
      const { bytes, ranges } = preparePayload(encode(docs.join(" ")), "ndjson");
      const plain = new ByteSink();
      const plainEnds: number[] = [];
      for (let i = 0; i < ranges.length; i += 2) {
        storeDocument(bytes, ranges[i]!, ranges[i + 1]!, order, plain);
        plainEnds.push(plain.length);
      }
      const begins = Float64Array.from(docs, (_, i) => ranges[2 * i]! + 1000);
      const ends = Float64Array.from(docs, (_, i) => ranges[2 * i + 1]! + 1000);
      const laid = new ByteSink();
      const laidEnds: number[] = [];
      const layer = new DocumentLayer(order, laid);
      assert.equal(layer.run(begins, ends, 0, docs.length), docs.length);
      layer.lay(bytes, 1000, begins, ends, 0, docs.length, (_, end) => laidEnds.push(end));
      assert.equal(Buffer.from(laid.view()).toString(), Buffer.from(plain.view()).toString());
      assert.deepEqual(laidEnds, plainEnds);
    }),
    { numRuns: 500 },
  );
});

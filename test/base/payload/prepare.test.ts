import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ApiError } from "../../../src/base/errors/errors.ts";
import {
  decodePayload,
  encodePayload,
  type PayloadFormat,
  packPayload,
  preparePayload,
} from "../../../src/base/payload/prepare.ts";
import { objectText } from "../json/arbitrary.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function documents(body: string | Uint8Array, format: PayloadFormat, delimiter = ","): string[] {
  const payload = preparePayload(typeof body === "string" ? encode(body) : body, format, delimiter.charCodeAt(0));
  const texts: string[] = [];
  for (let i = 0; i < payload.ranges.length; i += 2) {
    texts.push(decode(payload.bytes.subarray(payload.ranges[i]!, payload.ranges[i + 1]!)));
  }
  return texts;
}

function refusal(body: string | Uint8Array, format: PayloadFormat): string {
  try {
    documents(body, format);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, "malformed_payload");
    return error.message;
  }
  return assert.fail("accepted");
}

describe("preparing a JSON payload", () => {
  it("finds the documents of an array, of one object, and of none", () => {
    assert.deepEqual(documents(' [ {"id":1} ,\n{"id":2, "a":[{}]} ] ', "json"), ['{"id":1}', '{"id":2, "a":[{}]}']);
    assert.deepEqual(documents('{"id":1}\n', "json"), ['{"id":1}']);
    assert.deepEqual(documents("[]", "json"), []);
  });

  it("names the place of a syntax problem", () => {
    assert.match(refusal('[{"id": 1}, {id: 2}]', "json"), /`json`.*`key must be a string at line 1 column 14`/);
    assert.match(refusal('[{"id": 1},]', "json"), /trailing comma at line 1 column 12/);
    assert.match(refusal('[{"id": 1}', "json"), /end inside an array at line 1 column 10/);
    assert.match(refusal('[{"id": 1}] x', "json"), /trailing characters/);
    assert.match(refusal("  ", "json"), /value is expected/);
    assert.match(refusal(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "json"), /unicode/);
  });

  it("refuses what is no object", () => {
    assert.match(refusal("[1]", "json"), /integer `1`, expected an object/);
    assert.match(refusal("[[{}]]", "json"), /array, expected an object/);
    assert.match(refusal("null", "json"), /null, expected an object or an array of objects/);
    assert.match(refusal("1.5", "json"), /floating point number/);
  });

  it("shortens long diagnostics to 50 first and 85 last bytes", () => {
    const message = refusal(`"${"é".repeat(50_000)}"`, "json");
    const inner = /`([^`]*\.\.\.[^`]*)`\.$/.exec(message)![1]!;
    const [head, tail] = inner.split("...") as [string, string];
    assert.ok(encode(head).length <= 50 && encode(head).length > 46);
    assert.ok(encode(tail).length <= 85 && encode(tail).length > 81);
    assert.ok(!inner.includes("\ufffd"));
  });
});

describe("preparing an NDJSON payload", () => {
  it("needs no white space between documents", () => {
    assert.deepEqual(documents('{"id":1}{"id":2}\n\n {"id":3}\n', "ndjson"), ['{"id":1}', '{"id":2}', '{"id":3}']);
  });

  it("counts lines over the whole body", () => {
    assert.match(refusal('{"id": 1}\n{id: 2}', "ndjson"), /line 2 column 2/);
    assert.match(refusal('{"id": 1}\n[]', "ndjson"), /array, expected an object at line 2/);
    assert.match(refusal("\n", "ndjson"), /value is expected/);
  });
});

describe("preparing a CSV payload", () => {
  it("types cells by header", () => {
    assert.deepEqual(documents("id:number,name,ok:boolean\n1,,true\n 2.50 ,x, \n,,", "csv"), [
      '{"id":1,"name":null,"ok":true}',
      '{"id":2.5,"name":"x","ok":null}',
      '{"id":null,"name":null,"ok":null}',
    ]);
    assert.deepEqual(documents("a:b,c:,n:string\n1,2,3", "csv"), ['{"a:b":"1","c:":"2","n":"3"}']);
    assert.deepEqual(documents("n:number\n9223372036854775807\n9223372036854775808\n-07\n+5\n1e3\n1.0\n.5", "csv"), [
      '{"n":9223372036854775807}',
      '{"n":9.223372036854776e18}',
      '{"n":-7}',
      '{"n":5}',
      '{"n":1000.0}',
      '{"n":1.0}',
      '{"n":0.5}',
    ]);
  });

  it("reads quotes, line ends, blank lines, a byte order mark and other delimiters", () => {
    assert.deepEqual(documents('\ufeffid|name\r\n\r\n"1"|"a ""b""|\nc"\r2|d"e"\n', "csv", "|"), [
      '{"id":"1","name":"a \\"b\\"|\\nc"}',
      '{"id":"2","name":"d\\"e\\""}',
    ]);
    assert.deepEqual(documents("id,name\n", "csv"), []);
    assert.deepEqual(documents("\n", "csv"), []);
  });

  it("names record, line and cell of a problem", () => {
    assert.match(
      refusal("id, content\n1234, hello, world\n12, hello world", "csv"),
      /record 1 \(line: 2, byte: 12\).* 3 .* 2 /,
    );
    assert.match(refusal("id,n:number\na,1\nb,12x\n", "csv"), /number "12x" at line 2/);
    assert.match(refusal("id,b:boolean\na,yes\n", "csv"), /boolean "yes" at line 1/);
    assert.match(refusal("n:number\ninf\n", "csv"), /number "inf" at line 1/);
    assert.match(refusal("n:number\n0x10\n", "csv"), /number "0x10" at line 1/);
    assert.match(refusal(Uint8Array.from([0x61, 0x0a, 0xff, 0x0a]), "csv"), /UTF-8/);
  });

  it("gives back every table of strings it is fed", () => {
    const cell = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 5 }),
      fc.constantFrom('"', ",", "\n", "\r\n", ' "x",'),
    );
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }));
    fc.assert(
      fc.property(table, (rows) => {
        const width = rows[0]?.length ?? 1;
        const header = Array.from({ length: width }, (_, i) => `c${i}`);
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const body = [header, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n");
        const expected = rows.map((row) =>
          Object.fromEntries(row.map((text, i) => [`c${i}`, text === "" ? null : text])),
        );
        assert.deepEqual(
          documents(body, "csv").map((text) => JSON.parse(text)),
          expected,
        );
      }),
    );
  });
});

describe("any payload", () => {
  it("is refused with malformed_payload or gives valid objects, whatever the bytes", () => {
    const pieces = fc.constantFrom(...'{}[]:,"\\ \n\r1-.e\u0000é', '{"id":1}', "true", "null", "id:number", "\ufeff");
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(pieces, { maxLength: 20 }).map((parts) => encode(parts.join(""))),
    );
    fc.assert(
      fc.property(
        bodies,
        fc.constantFrom<PayloadFormat>("json", "ndjson", "csv"),
        fc.nat({ max: 127 }),
        (body, format, delimiter) => {
          try {
            for (const text of documents(body, format, String.fromCharCode(delimiter))) {
              assert.equal(typeof JSON.parse(text), "object");
            }
          } catch (error) {
            assert.ok(error instanceof ApiError, String(error));
            assert.equal(error.code, "malformed_payload");
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("survives encoding, at any alignment, and damage is noticed", () => {
    fc.assert(
      fc.property(fc.array(objectText, { maxLength: 5 }), fc.nat({ max: 5 }), fc.nat(), (texts, shift, where) => {
        const payload = preparePayload(encode(`[${texts.join(",")}]`), "json");
        const stored = Buffer.concat([Buffer.alloc(shift), ...encodePayload(payload)]).subarray(shift);
        assert.deepEqual(packPayload(payload), Buffer.concat(encodePayload(payload)));
        const back = decodePayload(stored);
        assert.deepEqual(new Uint8Array(back.bytes), payload.bytes);
        assert.deepEqual(new Uint32Array(back.ranges), payload.ranges);
        const damaged = new Uint8Array(stored);
        damaged[where % damaged.length]! ^= 0x10;
        assert.throws(() => decodePayload(damaged));
        assert.throws(() => decodePayload(stored.subarray(0, where % stored.length)));
      }),
    );
  });
});

/** The scan of a payload in a file, which reads it a slab at a time, beside that of the same payload in memory. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { encodePayload, preparePayload } from "../../../src/base/payload/prepare.ts";
import { scanPayload } from "../../../src/base/payload/scan.ts";
import { scanPayloadFile } from "../../../src/engine/helper/payload-files.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const GAPS = ["\n", "", "\r\n\n", " ".repeat(200_000)];

/** Three slabs of documents, with more and less between them. */
function body(last = ""): string {
  const lines = Array.from({ length: 3000 }, (_, i) => {
    const gap = i % 700 === 0 ? GAPS[(i / 700) % GAPS.length]! : "\n";
    return `{"id":${i},"book":{"id":"b${i}"},"text":"${"x".repeat(1000)}"}${gap}`;
  });
  return lines.join("") + last;
}

function filed(text: string, format: "json" | "ndjson" = "ndjson") {
  const payload = preparePayload(Buffer.from(text), format);
  const file = path.join(temporaryDirectory(), "payload");
  writeFileSync(file, Buffer.concat(encodePayload(payload)));
  return { file, payload };
}

test("a payload in a file is scanned like one in memory", () => {
  const refused = ['{"text":"no id"}', '{"id":"no id, either"}'];
  for (const { file, payload } of [filed(body()), ...refused.map((last) => filed(body(last))), filed("[]", "json")]) {
    for (const key of [null, "id", "book.id", "none"]) {
      const { error, ...scan } = scanPayload(payload, key);
      const { error: fileError, ranges, ...fileScan } = scanPayloadFile(file, key);
      assert.deepEqual(fileScan, scan);
      assert.deepEqual(fileError, error?.body() ?? null);
      assert.deepEqual([...ranges], [...payload.ranges]);
    }
  }
});

test("a bit that was flipped anywhere in the file is found", () => {
  const { file, payload } = filed(body());
  const whole = readFileSync(file);
  const ranges = payload.bytes.length + (-payload.bytes.length & 3);
  const documents = [9, 1_500_000, payload.bytes.length - 1];
  const places = [...documents, ranges, ranges + 7, ranges + 8 * 1500 + 3, whole.length - 16, whole.length - 5];
  for (const place of places) {
    const damaged = Buffer.from(whole);
    damaged[place]! ^= 1;
    writeFileSync(file, damaged);
    assert.throws(() => scanPayloadFile(file, "id"), /^Error: payload /, `at ${place}`);
  }
  writeFileSync(file, whole.subarray(0, whole.length - 1));
  assert.throws(() => scanPayloadFile(file, "id"), /^Error: payload /);
});

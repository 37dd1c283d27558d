import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { decodeVolatileSpans, encodeVolatileSpans, refreshed } from "../../../src/engine/cache/cached-answer.ts";
import { gzipAnswer } from "../../../src/engine/cache/gzip.ts";
import { answerOf, UID_LENGTH } from "./answer-of.ts";

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.tuple(fc.string({ minLength: 1 }), fc.nat(3000)).map(([text, times]) => text.repeat(times).slice(0, 60_000)),
);
const uids = fc.string({ unit: fc.constantFrom(..."0123456789abcdef-"), minLength: UID_LENGTH, maxLength: UID_LENGTH });
const durations = fc.nat(100_000);

test("a compressed answer is the answer, however often it gets another time and number", () => {
  const turns = fc.array(fc.tuple(durations, uids), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(texts, texts, texts, durations, uids, turns, (head, middle, end, time, uid, again) => {
      const kept = gzipAnswer(answerOf(head, time, middle, uid, end));
      assert.deepEqual(gunzipSync(kept.body), Buffer.from(answerOf(head, time, middle, uid, end).body));
      for (const [laterTime, laterUid] of again) {
        const later = refreshed(kept.body, kept, String(laterTime), laterUid, Buffer.alloc);
        assert.deepEqual(gunzipSync(later), Buffer.from(answerOf(head, laterTime, middle, laterUid, end).body));
      }
    }),
  );
});

test("marks arrive as they were sent", () => {
  const plain = { ...answerOf("a", 1, "b", "c".repeat(UID_LENGTH), "d"), sums: null };
  for (const { timeAt, timeEnd, uidAt, sums } of [plain, gzipAnswer(plain)]) {
    const marks = { timeAt, timeEnd, uidAt, sums };
    assert.deepEqual(decodeVolatileSpans(encodeVolatileSpans(marks)), marks);
  }
});

/** What is asked of parts over the wire: within bounds, and in its form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../../src/base/errors/errors.ts";
import { encodeFramed } from "../../../../src/engine/link/framed.ts";
import { readPartCall } from "../../../../src/server/front/divided/part-call.ts";

const CALL = { indexUid: "films", id: "4", settingsVersion: 2, shards: [0, 3], leftMs: 20.5 };
const QUESTION = Buffer.from("a question");

function refused(body: Buffer, what: string): void {
  assert.throws(
    () => readPartCall(body),
    (error) => error instanceof ApiError && error.status === 400,
    what,
  );
}

test("a call and its question are read apart; nobody has longer than whoever asks waits", () => {
  const { call, question } = readPartCall(encodeFramed(CALL, [QUESTION]));
  assert.deepEqual(call, CALL);
  assert.deepEqual(Buffer.from(question), QUESTION);
  for (const leftMs of [null, 1e9]) {
    const { call: endless } = readPartCall(encodeFramed({ ...CALL, leftMs }, [QUESTION]));
    assert.equal(endless.leftMs, 30_000);
  }
  assert.equal(readPartCall(encodeFramed({ ...CALL, leftMs: -5 }, [])).call.leftMs, -5);
});

test("what has another length is refused before it is read", () => {
  const whole = encodeFramed(CALL, []);
  for (const length of [0, 3, 4, whole.length - 1]) refused(whole.subarray(0, length), `${length} bytes`);
  const beyond = Buffer.from(whole);
  beyond.writeUInt32LE(0xff_ff_ff_ff, 0);
  refused(beyond, "a length beyond the body");
  refused(encodeFramed({ ...CALL, more: "x".repeat(10_000) }, []), "a long head");
});

test("what has another form is refused", () => {
  const heads: unknown[] = [
    null,
    [],
    "films",
    {},
    { ...CALL, indexUid: { a: 1 } },
    { ...CALL, id: 4 },
    { ...CALL, settingsVersion: "2" },
    { ...CALL, leftMs: "soon" },
    { ...CALL, leftMs: undefined },
  ];
  for (const shards of [undefined, null, "0", ["0"], [1.5], [-1], [1, 1], [2, 1], [64], Array(1000).fill(0)]) {
    heads.push({ ...CALL, shards });
  }
  for (const head of heads) refused(encodeFramed(head, [QUESTION]), JSON.stringify(head));
  const noJson = encodeFramed(CALL, []);
  noJson.write("{nope", 4);
  refused(noJson, "no JSON");
});

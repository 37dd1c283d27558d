/** What a reader makes of what other servers ask of its parts, whatever that is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { decodeFramed } from "../../../src/engine/link/framed.ts";
import { OTHER_STATE } from "../../../src/engine/link/part-asks.ts";
import { viewOfShards } from "../../../src/engine/parts/divide.ts";
import { answerPart } from "../../../src/engine/reader/divided/part.ts";
import type { RequestContext } from "../../../src/engine/reader/task.ts";
import type { Snapshot } from "../../../src/storage/index/catalog.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";

const VIEW = {
  ...{ id: "4", uid: "films", version: 7, contentVersion: 5, settingsVersion: 2 },
  ...{ problem: null, shards: 8, shardsElsewhere: [] as number[], held: [] },
} as unknown as IndexView;
const CALL = { indexUid: "films", id: "4", settingsVersion: 2, shards: [0, 3], leftMs: 1000 };

function answer(question: unknown, { call = CALL, goneAfter = Number.POSITIVE_INFINITY } = {}): unknown {
  let looks = 0;
  const context: RequestContext = {
    snapshot: () => ({ index: (uid: string) => (uid === VIEW.uid ? VIEW : null) }) as unknown as Snapshot,
    canceled: () => ++looks > goneAfter,
    countDegraded: () => {},
  };
  const payload = Buffer.from(typeof question === "string" ? question : JSON.stringify(question));
  const { body } = answerPart(call, payload, context);
  return decodeFramed<{ answer: unknown }>(Buffer.from(body)).head.answer;
}

const values = (count: number) => ({ question: "values", asked: { docids: Array(count).fill(1), fields: ["year"] } });
const refusal = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

test("what is no question is refused, whatever names objects have of themselves", () => {
  assert.deepEqual(answer(values(2)), [{}, {}]);
  for (const question of ["nothing", "constructor", "toString", "__proto__", 7, null]) {
    assert.throws(() => answer({ question, asked: {} }), refusal(400), String(question));
  }
  for (const sent of ["", "{no", "null", "[]", '{"question":"values"}', '{"question":"values","asked":null}']) {
    assert.throws(() => answer(sent), refusal(400), sent);
  }
});

test("shards that the index does not have are another state", () => {
  assert.throws(() => answer(values(1), { call: { ...CALL, shards: [0, 8] } }), refusal(OTHER_STATE));
});

test("nobody works on for one who is gone", () => {
  assert.throws(() => answer(values(1000), { goneAfter: 10 }), refusal(400));
  const sets = Array(1000).fill({ kind: "listed", docids: [] });
  const count = { question: "count", asked: { facets: null, set: { kind: "any", of: sets } } };
  assert.throws(() => answer(count, { goneAfter: 10 }), refusal(400));
});

test("parts of an index that nobody asks for any more are not kept", () => {
  const first = viewOfShards(VIEW, [0]);
  assert.equal(viewOfShards(VIEW, [0]), first);
  for (let i = 1; i < 256; i++) {
    const shards = Array.from({ length: 8 }, (_, shard) => shard).filter((shard) => (i >> shard) & 1);
    assert.equal(viewOfShards(VIEW, shards), viewOfShards(VIEW, shards));
  }
  assert.notEqual(viewOfShards(VIEW, [0]), first);
});

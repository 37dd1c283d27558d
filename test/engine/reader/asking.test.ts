/** What a reader lacks of parts, and what it makes of what it is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, apiError } from "../../../src/base/errors/errors.ts";
import { encodeFramed } from "../../../src/engine/link/framed.ts";
import { decodeWanted, encodeAnswer, type Told } from "../../../src/engine/link/part-asks.ts";
import { AsFarAsAnswered, Asking, Unanswered } from "../../../src/engine/reader/asking.ts";
import { IndexInParts } from "../../../src/engine/reader/divided/index-in-parts.ts";
import { ELSEWHERE } from "../../../src/storage/index/publish.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";

const VIEW = { id: "3", uid: "films", settingsVersion: 2, contentVersion: 5 } as IndexView;
const GROUPS: Told["groups"] = { "3": [{ shards: [0, 1], missing: null }] };

const fields = (asking: Asking) => asking.answerOf(VIEW, 0, "fields", {}, null);
const document = (asking: Asking) =>
  asking.answerOf(VIEW, 0, "document", { id: "1", fields: null, known: null, retrieveVectors: false }, 20);

/** The keys of both questions. */
function keys(): [fields: string, document: string] {
  const asking = new Asking({ groups: GROUPS, tries: 0 });
  assert.equal(fields(asking), null);
  assert.equal(document(asking), null);
  assert.throws(() => asking.mustBeAnswered(), Unanswered);
  const { beginsAnew, ...wanted } = decodeWanted(asking.wanted());
  const asks = [...wanted.asks];
  assert.equal(beginsAnew, false);
  assert.deepEqual(
    asks.map(({ group, indexUid, leftMs, settingsVersion }) => ({ group, indexUid, leftMs, settingsVersion })),
    [null, 20].map((leftMs) => ({ group: 0, indexUid: "films", leftMs, settingsVersion: 2 })),
  );
  return [asks[0]!.key, asks[1]!.key];
}

/** Told of both, from states of these numbers. */
function told(versions: [number, number], contentVersions: [number, number], tries = 0): Asking {
  const pieces = [[], [Buffer.from("{}")]];
  const answers = pieces.map((own, i) => {
    const lengths = own.map(({ length }) => length);
    const answer = i === 0 ? { words: ["title"], columns: [] } : null;
    return encodeFramed({ version: versions[i], contentVersion: contentVersions[i], answer, pieces: lengths }, own);
  });
  const listed = keys().flatMap((key, i) => encodeAnswer({ key, status: 200 }, answers[i]!));
  return new Asking({ groups: GROUPS, tries }, Buffer.concat(listed));
}

test("first who has which part, then what they say; the same question is the same in every round", () => {
  const asking = new Asking();
  assert.equal(
    new AsFarAsAnswered().run(() => asking.groupsOf(VIEW)),
    null,
  );
  assert.deepEqual(decodeWanted(asking.wanted()).groups, [{ id: "3", indexUid: "films" }]);
  const answered = told([7, 7], [5, 5]);
  assert.deepEqual(answered.groupsOf(VIEW), GROUPS["3"]);
  assert.deepEqual(fields(answered)?.answer, { words: ["title"], columns: [] });
  assert.equal(Buffer.from(document(answered)!.pieces[0]!).toString(), "{}");
  answered.mustBeAnswered();
  assert.equal(answered.isCurrent, true);
});

test("a part that has changed between two answers is asked anew, a few times; what is ahead is not kept", () => {
  const changed = told([7, 8], [5, 6]);
  fields(changed);
  document(changed);
  assert.equal(changed.isCurrent, false);
  assert.throws(() => changed.mustBeAnswered(), Unanswered);
  assert.equal(decodeWanted(changed.wanted()).beginsAnew, true);
  const patient = told([7, 8], [5, 6], 3);
  fields(patient);
  document(patient);
  patient.mustBeAnswered();
});

test("what one search lacks keeps no other of the same request from going on", () => {
  const answered = told([7, 7], [5, 5]);
  const index = IndexInParts.of({ ...VIEW, problem: ELSEWHERE, shards: 2 }, { parts: answered })!;
  const lacking = { id: "2", fields: null, known: null, retrieveVectors: false };
  assert.equal(
    new AsFarAsAnswered().run(() => index.ask("document", lacking)),
    null,
  );
  assert.deepEqual(index.ask("fields", {})[0]?.answer, { words: ["title"], columns: [] });
  assert.throws(() => index.mustBeAnswered(), Unanswered);
});

test("what a part refuses is refused", () => {
  const refusal = Buffer.from(JSON.stringify(apiError("invalid_search_filter", "no such field")));
  const answers = Buffer.concat(encodeAnswer({ key: keys()[0], status: 400 }, refusal));
  const asking = new Asking({ groups: GROUPS, tries: 0 }, answers);
  assert.throws(
    () => fields(asking),
    (error) => error instanceof ApiError && error.code === "invalid_search_filter" && error.message === "no such field",
  );
});

test("what fails behind something that waits has not failed yet", () => {
  const fails = (): never => {
    throw apiError("internal", "broken");
  };
  const running = new AsFarAsAnswered();
  assert.equal(
    running.run(() => 1),
    1,
  );
  assert.throws(() => running.run(fails), ApiError);
  assert.equal(
    running.run(() => new Asking().groupsOf(VIEW)),
    null,
  );
  assert.throws(() => running.run(fails), Unanswered);
});

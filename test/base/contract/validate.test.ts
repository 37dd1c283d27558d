import assert from "node:assert/strict";
import { test } from "node:test";
import * as schema from "../../../src/base/contract/schema.ts";
import { validate } from "../../../src/base/contract/validate.ts";
import { ApiError, ERRORS, type ErrorCode } from "../../../src/base/errors/errors.ts";
import { refusal } from "./refusal.ts";

const { choice, count, dictionary, either, flag, list, object, optional, orNull, resettable, text } = schema;

const dog = object(
  {
    uid: text({ code: "invalid_index_uid", missing: "missing_index_uid" }),
    size: count({ code: "invalid_index_limit", default: 3, maximum: 10 }),
    mood: optional(choice(["happy", "sleepy"])),
    owner: orNull(object({ name: text(), tags: list(text(), { default: [] }) }, { code: "invalid_api_key_name" })),
    chipped: resettable(flag()),
    scores: optional(dictionary(count())),
    id: optional(either([text(), count()])),
  },
  { immutable: { createdAt: "immutable_index_created_at" } },
);

test("defaults are filled in, null and absent stay apart where they must", () => {
  assert.deepEqual(validate(dog, { uid: "a" }), { uid: "a", size: 3, owner: null });
  assert.deepEqual(validate(dog, { uid: "a", chipped: null, owner: { name: "n" } }), {
    uid: "a",
    size: 3,
    chipped: null,
    owner: { name: "n", tags: [] },
  });
});

const refusals: [string, unknown, ErrorCode, RegExp][] = [
  ["wrong root", 3, "bad_request", /^Invalid value type: expected an object, but found a positive integer: `3`$/],
  ["null root", null, "bad_request", /^Invalid value type: expected an object, but found null$/],
  [
    "wrong type",
    { uid: ["x"] },
    "invalid_index_uid",
    /^Invalid value type at `\.uid`: expected a string, but found an array: `\["x"\]`$/,
  ],
  [
    "negative",
    { uid: "a", size: -1 },
    "invalid_index_limit",
    /expected a positive integer, but found a negative integer: `-1`/,
  ],
  [
    "fraction",
    { uid: "a", size: 1.5 },
    "invalid_index_limit",
    /expected a positive integer, but found a number: `1.5`/,
  ],
  [
    "beyond 64 bits",
    { uid: "a", size: 1e30 },
    "invalid_index_limit",
    /expected a positive integer, but found a number: `1e\+30`/,
  ],
  ["too large", { uid: "a", size: 11 }, "invalid_index_limit", /^Invalid value at `\.size`: /],
  [
    "enum",
    { uid: "a", mood: "hapy" },
    "bad_request",
    /^Unknown value `hapy` at `\.mood`: did you mean `happy`\? expected one of `happy`, `sleepy`$/,
  ],
  ["null refused", { uid: "a", size: null }, "invalid_index_limit", /but found null$/],
  ["missing", {}, "missing_index_uid", /^Missing field `uid`$/],
  ["missing below", { uid: "a", owner: {} }, "invalid_api_key_name", /^Missing field `name` inside `\.owner`$/],
  [
    "unknown",
    { uid: "a", sise: 1 },
    "bad_request",
    /^Unknown field `sise`: did you mean `size`\? expected one of `uid`, /,
  ],
  [
    "unknown below",
    { uid: "a", owner: { nom: 1 } },
    "invalid_api_key_name",
    /^Unknown field `nom` inside `\.owner`: expected one of `name`, `tags`$/,
  ],
  ["immutable", { createdAt: 1 }, "immutable_index_created_at", /^Immutable field `createdAt`: expected one of /],
  [
    "element",
    { uid: "a", owner: { name: "n", tags: ["x", 1] } },
    "invalid_api_key_name",
    /at `\.owner\.tags\[1\]`: expected a string/,
  ],
  ["value of a free key", { uid: "a", scores: { "x y": true } }, "bad_request", /at `\.scores\.x y`/],
  [
    "neither kind",
    { uid: "a", id: {} },
    "bad_request",
    /at `\.id`: expected a string or a positive integer, but found an object: `\{\}`/,
  ],
  ["first in the order written", { size: "x", uid: 1 }, "invalid_index_limit", /\.size/],
];

for (const [name, body, code, message] of refusals) {
  test(`refuses: ${name}`, () => {
    const error = refusal(() => validate(dog, body));
    assert.equal(error.code, code);
    assert.match(error.message, message);
  });
}

test("an error shows its four keys in order, with the link and the type of its code", () => {
  const error = refusal(() => validate(dog, {}));
  assert.deepEqual(Object.entries(JSON.parse(JSON.stringify(error))), [
    ["message", "Missing field `uid`"],
    ["code", "missing_index_uid"],
    ["type", "invalid_request"],
    ["link", "https://docs.meilisearch.com/errors#missing_index_uid"],
  ]);
  assert.equal(error.status, 400);
  assert.ok(error instanceof ApiError && error instanceof Error);
});

test("every code has a status of an error", () => {
  for (const { status } of Object.values(ERRORS)) assert.ok(status >= 400 && status < 600);
});

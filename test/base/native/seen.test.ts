/** What is known of binaries from one start to the next. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { type FileState, noteSeen, wasSeen } from "../../../src/base/native/seen.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const LONG_AGO = Date.now() - 60_000;

function stateIn(folder: string, name: string, identity: string, changedAtMs = LONG_AGO): FileState {
  return { file: path.join(folder, name), identity, changedAtMs };
}

test("a file is known for as long as it is what it was", () => {
  const folder = temporaryDirectory();
  const state = stateIn(folder, "a.node", "as it is");
  assert.equal(wasSeen(state, folder), false);
  noteSeen(state, folder);
  noteSeen(stateIn(folder, "b.node", "another"), folder);
  assert.equal(wasSeen(state, folder), true);
  assert.equal(wasSeen({ ...state, identity: "as it became" }, folder), false);
  assert.equal(wasSeen(stateIn(folder, "c.node", "as it is"), folder), false);
  noteSeen({ ...state, identity: "as it became" }, folder);
  assert.equal(wasSeen(state, folder), false, "only its last state counts");
  assert.equal(wasSeen(stateIn(folder, "b.node", "another"), folder), true);
});

test("one that has just changed is not, since it might change again within the same tick of the clock", () => {
  const folder = temporaryDirectory();
  const state = stateIn(folder, "a.node", "as it is", Date.now());
  noteSeen(state, folder);
  assert.equal(wasSeen(state, folder), false);
});

test("nothing is known of files elsewhere, or by a list that is damaged", () => {
  const folder = temporaryDirectory();
  const inside = path.join(folder, "inside");
  mkdirSync(inside);
  const elsewhere = stateIn(inside, "a.node", "as it is");
  noteSeen(elsewhere, folder);
  assert.equal(wasSeen(elsewhere, folder), false);
  const state = stateIn(folder, "a.node", "as it is");
  noteSeen(state, folder);
  const list = path.join(folder, "made", "seen");
  const bytes = readFileSync(list);
  bytes[bytes.length - 3]! ^= 1;
  writeFileSync(list, bytes);
  assert.equal(wasSeen(state, folder), false);
});

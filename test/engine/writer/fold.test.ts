import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { idsOf } from "../../../src/base/document/id-list.ts";
import { DocidSet } from "../../../src/engine/writer/docids.ts";
import { Fold, type Lookup, type StoredPlace } from "../../../src/engine/writer/fold.ts";
import { stringsOf } from "../../base/document/ids.ts";

const ids = ["a", "b", "c", "d"];
type Operation = { kind: "replace" | "update" | "delete"; id: string; skip: boolean };
const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom("replace", "update", "delete"),
  id: fc.constantFrom(...ids),
  skip: fc.boolean(),
});

/** What a document is made of, as a list of version names, or null when it does not exist. */
function model(stored: Set<string>, operations: Operation[]): Map<string, string[] | null> {
  const state = new Map<string, string[] | null>();
  for (const id of stored) state.set(id, ["stored"]);
  for (const [i, op] of operations.entries()) {
    const before = state.get(op.id) ?? null;
    if (op.kind === "delete") state.set(op.id, null);
    else if (before === null && op.skip) continue;
    else if (op.kind === "replace" || before === null) state.set(op.id, [`v${i}`]);
    else state.set(op.id, [...before, `v${i}`]);
  }
  return state;
}

function lookup(find: (id: string) => StoredPlace | null): Lookup {
  return {
    find: (bytes, start, end) => find(Buffer.from(bytes.subarray(start, end)).toString()),
    areBelow: () => false,
  };
}

/** Folds one operation as document `document` of payload 0. */
function apply(fold: Fold, { kind, id, skip }: Operation, document: number): void {
  if (kind === "delete") fold.delete(id);
  else fold[kind](idsOf([id]), 0, 0, document, skip);
}

test("a fold leaves what applying the operations one by one leaves", () => {
  fc.assert(
    fc.property(fc.subarray(ids), fc.array(operation, { maxLength: 12 }), (storedIds, operations) => {
      const taken = new DocidSet();
      for (const [docid] of storedIds.entries()) taken.add(docid);
      const stored = lookup((id) => {
        const docid = storedIds.indexOf(id);
        return docid < 0 ? null : { docid, segment: 0, row: docid };
      });
      const fold = new Fold(stored, taken.free());
      for (const [i, op] of operations.entries()) apply(fold, op, i);
      const expected = model(new Set(storedIds), operations);
      const externalIds = stringsOf(fold.externalIds);
      const numbers: number[] = [];
      for (let entry = 0; entry < fold.size; entry++) {
        const versions = fold.overStored[entry] === 1 ? ["stored"] : [];
        const chain = fold.chains.get(entry) ?? (fold.payload[entry]! < 0 ? [] : [0, fold.document[entry]]);
        for (let i = 1; i < chain.length; i += 2) versions.push(`v${chain[i]}`);
        assert.deepEqual(fold.present[entry] === 1 ? versions : null, expected.get(externalIds[entry]!) ?? null);
        if (fold.docids[entry]! >= 0) numbers.push(fold.docids[entry]!);
        else assert.equal(fold.touched[entry], 0);
      }
      assert.equal(new Set(numbers).size, numbers.length);
    }),
  );
});

test("numbers are given in order of first appearance, a mere deletion wastes one", () => {
  const fold = new Fold(
    lookup(() => null),
    new DocidSet().free(),
  );
  fold.delete("gone");
  apply(fold, { kind: "replace", id: "x", skip: false }, 0);
  apply(fold, { kind: "update", id: "skipped", skip: true }, 1);
  apply(fold, { kind: "update", id: "y", skip: false }, 2);
  assert.deepEqual(stringsOf(fold.externalIds), ["gone", "x", "skipped", "y"]);
  assert.deepEqual([...fold.docids.subarray(0, fold.size)], [0, 1, -1, 2]);
});

test("the documents of a payload are counted by their ids, known before or not", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.stringMatching(/^[a-z0-9_-]{1,3}$/), { maxLength: 400 }), { maxLength: 3 }),
      fc.constantFrom("replace" as const, "update" as const),
      fc.boolean(),
      (payloads, method, skip) => {
        const fold = new Fold(
          lookup(() => null),
          new DocidSet().free(),
        );
        for (const [payload, names] of payloads.entries()) {
          assert.equal(fold.addAll(method, idsOf(names), payload, skip), new Set(names).size);
        }
        const different = [...new Set(payloads.flat())];
        assert.deepEqual(stringsOf(fold.externalIds), different);
        const numbers = skip ? different.map(() => -1) : different.map((_, i) => i);
        assert.deepEqual([...fold.docids.subarray(0, fold.size)], numbers);
        const isPlain = !(skip && payloads.length > 0) && different.length === payloads.flat().length;
        const runs = payloads.map(({ length: count }, payload) => ({ payload, count }));
        assert.deepEqual(fold.plainRuns, isPlain ? runs : null);
      },
    ),
  );
});

test("what a replacement lies over is known until the document is deleted", () => {
  const stored = { docid: 0, segment: 0, row: 0 };
  const taken = new DocidSet();
  taken.add(0);
  const fold = new Fold(
    lookup((id) => (id === "old" ? stored : null)),
    taken.free(),
  );
  apply(fold, { kind: "replace", id: "old", skip: false }, 0);
  apply(fold, { kind: "replace", id: "new", skip: false }, 1);
  assert.deepEqual([...fold.overReplaced.subarray(0, 2)], [1, 0]);
  apply(fold, { kind: "update", id: "old", skip: false }, 2);
  apply(fold, { kind: "replace", id: "old", skip: false }, 3);
  assert.equal(fold.overReplaced[0], 1);
  fold.delete("old");
  apply(fold, { kind: "replace", id: "old", skip: false }, 4);
  assert.equal(fold.overReplaced[0], 0);
});

test("ids that are known to ascend are folded as they are one by one", () => {
  const list = fc.uniqueArray(fc.nat(300), { maxLength: 40 }).map((numbers) => numbers.sort((a, b) => a - b));
  fc.assert(
    fc.property(
      list,
      fc.array(list, { maxLength: 4 }),
      fc.array(fc.nat(300), { maxLength: 3 }),
      (stored, payloads, gone) => {
        const taken = new DocidSet();
        for (const docid of stored.keys()) taken.add(2 * docid);
        const known: Lookup = {
          ...lookup((id) => {
            const row = stored.indexOf(Number(id));
            return row < 0 ? null : { docid: 2 * row, segment: 0, row };
          }),
          areBelow: (number) => stored.every((id) => id < number),
        };
        const [told, plain] = [true, false].map((isTold) => {
          const fold = new Fold(known, taken.free());
          const counts = payloads.map((numbers, i) =>
            fold.addAll("replace", idsOf(numbers.map(String)), i, false, isTold),
          );
          for (const id of gone) fold.delete(String(id));
          counts.push(fold.addAll("update", idsOf(gone.map(String)), payloads.length, false));
          const { chains, docids, document, overReplaced, overStored, payload, present, storedRow, touched } = fold;
          const lists = [docids, document, overReplaced, overStored, payload, present, storedRow, touched];
          const entries = lists.map((each) => [...each.subarray(0, fold.size)]);
          return { counts, entries, chains, ids: stringsOf(fold.externalIds), runs: fold.plainRuns };
        });
        assert.deepEqual(told, plain);
      },
    ),
  );
});

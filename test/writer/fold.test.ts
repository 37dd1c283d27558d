import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DocidSet } from "../../src/writer/docids.ts";
import { Fold } from "../../src/writer/fold.ts";

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

test("a fold leaves what applying the operations one by one leaves", () => {
  fc.assert(
    fc.property(fc.subarray(ids), fc.array(operation, { maxLength: 12 }), (storedIds, operations) => {
      const taken = new DocidSet();
      for (const [docid] of storedIds.entries()) taken.add(docid);
      const fold = new Fold(
        {
          find: (id) => {
            const docid = storedIds.indexOf(id);
            return docid < 0 ? null : { docid, segment: 0, row: docid };
          },
        },
        taken.free(),
      );
      for (const [i, op] of operations.entries()) {
        if (op.kind === "delete") fold.delete(op.id);
        else fold[op.kind](op.id, 0, i, op.skip);
      }
      const expected = model(new Set(storedIds), operations);
      for (let entry = 0; entry < fold.size; entry++) {
        const id = fold.externalIds[entry];
        const versions = fold.overStored[entry] ? ["stored"] : [];
        const chain = fold.chains.get(entry) ?? (fold.payload[entry] < 0 ? [] : [0, fold.document[entry]]);
        for (let i = 1; i < chain.length; i += 2) versions.push(`v${chain[i]}`);
        assert.deepEqual(fold.present[entry] ? versions : null, expected.get(id) ?? null);
      }
      assert.equal(new Set(fold.docids).size, fold.size);
    }),
  );
});

test("numbers are given in order of first appearance, a mere deletion wastes one", () => {
  const fold = new Fold({ find: () => null }, new DocidSet().free());
  fold.delete("gone");
  fold.replace("x", 0, 0, false);
  fold.update("skipped", 0, 1, true);
  fold.update("y", 0, 2, false);
  assert.deepEqual(fold.externalIds, ["gone", "x", "y"]);
  assert.deepEqual(fold.docids, [0, 1, 2]);
});

test("what a replacement lies over is known until the document is deleted", () => {
  const stored = { docid: 0, segment: 0, row: 0 };
  const taken = new DocidSet();
  taken.add(0);
  const fold = new Fold({ find: (id) => (id === "old" ? stored : null) }, taken.free());
  fold.replace("old", 0, 0, false);
  fold.replace("new", 0, 1, false);
  assert.deepEqual([...fold.overReplaced], [true, false]);
  fold.update("old", 0, 2, false);
  fold.replace("old", 0, 3, false);
  assert.equal(fold.overReplaced[0], true);
  fold.delete("old");
  fold.replace("old", 0, 4, false);
  assert.equal(fold.overReplaced[0], false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sharedNames } from "../../../src/storage/settings/attribute-names.ts";
import { nameTree } from "../../../src/storage/settings/name-tree.ts";
import { coversField } from "../../../src/storage/settings/patterns.ts";

const name = fc
  .array(fc.constantFrom("a", "b", "ab", "", "*", "é"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("."));
const names = fc.array(name, { maxLength: 8 });

test("a tree of names finds what looking at each of them finds", () => {
  fc.assert(
    fc.property(names, name, (list, field) => {
      const tree = nameTree(list);
      assert.equal(
        tree.find(field),
        list.findIndex((each) => coversField(each, field)),
      );
      assert.equal(
        tree.reaches(field),
        list.some((each) => coversField(field, each)),
      );
      assert.equal(
        tree.isAbove(field),
        list.some((each) => each !== field && coversField(field, each)),
      );
    }),
    { numRuns: 2000 },
  );
});

test("two lists share what each name of the one and each of the other stand for", () => {
  fc.assert(
    fc.property(names, names, (left, right) => {
      const shared = new Set<string>();
      for (const a of left) {
        for (const b of right) {
          if (coversField(b, a)) shared.add(a);
          else if (coversField(a, b)) shared.add(b);
        }
      }
      assert.deepEqual(sharedNames(left, right), [...shared]);
    }),
    { numRuns: 1000 },
  );
});

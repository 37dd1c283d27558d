import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ScratchCache } from "../../../src/engine/query/scratch-cache.ts";
import { searchIndexOf } from "../../../src/engine/query/search-index.ts";
import { vocabularyOf } from "../../../src/engine/query/vocabulary.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { Workspace } from "../../../src/storage/memory/workspace.ts";
import { rows, viewOf } from "../rank/support.ts";

const TEXTS = ["the sea", "a ship on the sea", "land"];
const twoSegments = (): IndexView => {
  const all = rows(TEXTS.map((text) => ({ text })));
  return viewOf({}, [all.slice(0, 2), all.slice(2)]);
};

/** The same segments after a change. */
const later = (view: IndexView, version: number): IndexView => ({ ...view, version });

const addressIn = (view: IndexView): number => searchIndexOf(vocabularyOf(view), view.settings, null)!.address;

test("states of an index that are over take no memory", () => {
  const view = twoSegments();
  const first = addressIn(view);
  for (let version = 2; version < 200; version++) {
    const address = addressIn(later(view, version));
    // One is made while the one before is there no more.
    assert.equal(address, first, `version ${version}`);
  }
});

test("of the indexes that are searched, those not asked for longest give their memory back", () => {
  const view = twoSegments();
  const others = Array.from({ length: 40 }, (_, i): IndexView => ({ ...view, id: `${view.id} ${i}` }));
  const addresses = new Set(others.map(addressIn));
  for (const other of others) addresses.add(addressIn(later(other, 2)));
  assert.ok(addresses.size <= 17, `${addresses.size} places for 80 states, of which 16 are kept`);
});

test("what is kept about a segment goes with it, and stays as long as it is there", () => {
  const view = twoSegments();
  addressIn(view);
  const [stays, goes] = view.segments.map(({ reader }) => reader);
  const store = ScratchCache.of(stays!.home.workspace);
  const kept = [stays!, goes!].map((reader) => {
    const name = store.nameOf(reader, " word");
    assert.notEqual(store.reserve(reader, name, 100), null);
    return name;
  });
  addressIn(later(view, 2));
  assert.deepEqual(
    kept.map((name) => store.has(name)),
    [true, true],
  );
  addressIn({ ...later(view, 3), segments: view.segments.slice(0, 1) });
  assert.deepEqual(
    kept.map((name) => store.has(name)),
    [true, false],
  );
});

const PAGE = 64 * 1024;
const actions = fc.array(
  fc.record({
    kind: fc.constantFrom("reserve" as const, "keep" as const, "forget" as const, "find" as const),
    about: fc.nat(5),
    bytes: fc.integer({ min: 1, max: 9000 }),
  }),
  { maxLength: 150 },
);

test("what is kept is never written over, and what is forgotten is there for others", () => {
  const view = twoSegments();
  fc.assert(
    fc.property(actions, (list) => {
      const memory = new WebAssembly.Memory({ initial: 4, maximum: 4, shared: true });
      const workspace = new Workspace(memory, PAGE, 3 * PAGE);
      const store = ScratchCache.of(workspace);
      const subjects = Array.from({ length: 6 }, (_, i) => vocabularyOf(later(view, 1000 + i)));
      /** Oldest first, as the store has them. */
      const model = new Map<string, { about: number; at: number; bytes: number; mark: number }>();
      list.forEach(({ kind, about, bytes }, i) => {
        const mark = i % 251;
        const name = `${i}`;
        if (kind === "forget") {
          ScratchCache.forget(workspace, subjects[about]!);
          for (const [key, kept] of model) if (kept.about === about) model.delete(key);
        } else if (kind === "find") {
          const [oldest] = model.keys();
          if (oldest !== undefined) assert.notEqual(store.find(oldest), null);
        } else {
          const before = workspace.mark;
          let at: number | null;
          if (kind === "reserve") at = store.reserve(subjects[about]!, name, bytes);
          else {
            const piece = workspace.allocate(bytes);
            workspace.u8.fill(mark, piece, piece + bytes);
            at = store.keep(subjects[about]!, name, [{ at: piece, bytes }])?.[0] ?? null;
            workspace.release(before);
          }
          assert.notEqual(at, null, "there is always room for what is smaller than all of it");
          if (kind === "reserve") workspace.u8.fill(mark, at!, at! + bytes);
          for (const key of [...model.keys()]) if (!store.has(key)) model.delete(key);
          model.set(name, { about, at: at!, bytes, mark });
        }
        for (const [key, { at, bytes: length, mark: written }] of model) {
          assert.ok(store.has(key), `${key} was forgotten for no reason`);
          assert.ok(
            workspace.u8.subarray(at, at + length).every((byte) => byte === written),
            `${key} was written over`,
          );
        }
      });
    }),
    { numRuns: 60 },
  );
});

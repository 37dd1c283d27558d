import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import { ForeignDocuments } from "../../../src/engine/joins/documents.ts";
import { Hydration } from "../../../src/engine/joins/hydration.ts";
import { rows, viewOf } from "../rank/support.ts";

const NAMED = { write: (id: string, out: ByteSink) => out.ascii(`{"named":"${id}"}`) };
const named = (id: string) => ({ named: id });

function hydrated(document: unknown, ...fields: string[]): unknown {
  const out = new ByteSink();
  const hydration = new Hydration(fields.map((field) => ({ field, documents: NAMED })));
  hydration.write(Buffer.from(JSON.stringify(document)), out);
  return JSON.parse(Buffer.from(out.view()).toString());
}

test("ids become documents, alone and in lists", () => {
  const document = { id: 1, author: "a1", related: ["a2", 3], title: "x" };
  assert.deepEqual(hydrated(document, "author", "related"), {
    id: 1,
    author: named("a1"),
    related: [named("a2"), named("3")],
    title: "x",
  });
});

test("what cannot be an id stays", () => {
  const document = { author: ["not an id", 1.5, null, true, { id: "a1" }, "", ["a2"], []] };
  assert.deepEqual(hydrated(document, "author"), {
    author: ["not an id", 1.5, null, true, { id: "a1" }, "", [named("a2")], []],
  });
});

test("a key may lie inside objects, and in a name with dots or escapes", () => {
  const document = { book: { author: "a1", year: 2 }, "by.whom": "a2", "wh\to": "a3", books: [{ author: 4 }, 5] };
  assert.deepEqual(hydrated(document, "book.author", "by.whom", "wh\to", "books.author"), {
    book: { author: named("a1"), year: 2 },
    "by.whom": named("a2"),
    "wh\to": named("a3"),
    books: [{ author: named("4") }, 5],
  });
});

test("documents without any of the keys stay as they are", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().filter((name) => !name.startsWith("key")),
        fc.jsonValue(),
      ),
      (document) => {
        const plain: unknown = JSON.parse(JSON.stringify(document));
        assert.deepEqual(hydrated(plain, "key", "key.of.keys"), plain);
      },
    ),
  );
});

test("foreign documents show what their index displays, unknown ones nothing", () => {
  const docs = rows([
    { name: "Ann", age: 40 },
    { name: "Bob", age: 50 },
  ]);
  const view = viewOf({ displayedAttributes: ["id", "name"] }, [docs.slice(0, 1), docs.slice(1)], [0]);
  const documents = new ForeignDocuments(view);
  const shown = (id: string): unknown => {
    const out = new ByteSink();
    documents.write(id, out);
    return JSON.parse(Buffer.from(out.view()).toString());
  };
  assert.deepEqual(shown("1"), { id: 1, name: "Bob" });
  assert.deepEqual(shown("0"), {});
  assert.deepEqual(shown("7"), {});
});

/** Lines of the interface about searches and vectors of clients, each with what a server does about it. */
import assert from "node:assert/strict";
import test from "node:test";
import { freshIndex } from "./fresh-index.ts";

const index = freshIndex();

interface Answer {
  status: number;
  body: { hits: { id: number }[]; semanticHitCount?: number; code?: string; message?: string };
}

function search(query: object): Promise<Answer> {
  return index.server.request("POST", `${index.path}/search`, query);
}

const OWN = { own: { source: "userProvided", dimensions: 2 } };
const SHOWN = "/documents?retrieveVectors=true";

async function shown(): Promise<unknown[]> {
  const { body } = await index.server.request<{ results: { _vectors: unknown }[] }>("GET", index.path + SHOWN);
  return body.results.map(({ _vectors }) => _vectors);
}

// The interface, vector: "mandatory with a `userProvided` embedder". As recorded of the reference: what asks for meaning alone is refused;
// a hybrid search still gives what the words find, and one that has neither words nor a vector is a placeholder search.
test("where nothing can embed the query, meaning alone is refused", async () => {
  await index.written("PATCH", "/settings", { embedders: OWN });
  await index.written("POST", "/documents", [
    { id: 1, title: "red fox", _vectors: { own: [1, 0] } },
    { id: 2, title: "blue whale", _vectors: { own: [0, 1] } },
  ]);
  const asked = (semanticRatio: number, more: object = {}) =>
    search({ hybrid: { embedder: "own", semanticRatio }, ...more });
  const refused = await asked(1, { q: "fox" });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.code, "vector_embedding_error");
  assert.match(refused.body.message!, /own/);
  const hybrid = await asked(0.5, { q: "fox" });
  assert.deepEqual([hybrid.body.hits.map(({ id }) => id), hybrid.body.semanticHitCount], [[1], 0]);
  assert.deepEqual(
    (await asked(1)).body.hits.map(({ id }) => id),
    [1, 2],
  );
  assert.deepEqual(
    (await asked(1, { q: "fox", vector: [0, 1] })).body.hits.map(({ id }) => id),
    [2, 1],
  );
});

// The interface, _vectors: "An empty or null embedder key means the document has no embeddings for that embedder". As recorded of the
// reference, empty is `[]`; an object without `regenerate`, which is mandatory, is refused.
test("null and an empty array are no vectors, an empty object is a mistake", async () => {
  await index.written("PATCH", "/settings", { embedders: OWN });
  await index.written("POST", "/documents", [
    { id: 1, _vectors: { own: null } },
    { id: 2, _vectors: { own: [] } },
  ]);
  assert.deepEqual(await shown(), Array(2).fill({ own: { embeddings: [], regenerate: false } }));
  const task = await index.server.write("POST", `${index.path}/documents`, [{ id: 3, _vectors: { own: {} } }]);
  assert.equal(task.error?.code, "invalid_vectors_type");
});

// The interface, _vectors, `regenerate`: "when true the service (re)generates the embedding immediately": where there is nothing to generate it with,
// that is a mistake.
test("vectors that are to be made, but only the client can give, fail the task", async () => {
  await index.written("PATCH", "/settings", { embedders: OWN });
  for (const own of [{ regenerate: true }, { embeddings: null, regenerate: true }]) {
    const task = await index.server.write("POST", `${index.path}/documents`, [{ id: 1, _vectors: { own } }]);
    assert.equal(task.error?.code, "vector_embedding_error", JSON.stringify(own));
  }
  for (const own of [{ regenerate: false }, { embeddings: [], regenerate: true }]) {
    await index.written("POST", "/documents", [{ id: 1, _vectors: { own } }]);
  }
});

// The interface, _vectors: "an embedder key mapped directly to an array of numbers equals `{embeddings: <array>, regenerate: false}`"; the
// vectors of an embedder that is removed are written back into the documents.
test("vectors of clients outlive their embedder, in the form they were kept in", async () => {
  await index.written("PATCH", "/settings", { embedders: OWN });
  await index.written("POST", "/documents", [
    { id: 1, _vectors: { own: [0.1, 2], other: "as it is" } },
    {
      id: 2,
      _vectors: {
        own: [
          [1, 0],
          [0, 1],
        ],
      },
    },
    { id: 3, _vectors: { own: null } },
    { id: 4, _vectors: { own: { embeddings: [3, 4], regenerate: true } } },
  ]);
  const before = await shown();
  assert.deepEqual(before[0], {
    own: { embeddings: [[Math.fround(0.1), 2]], regenerate: false },
    other: "as it is",
  });
  await index.written("PATCH", "/settings", { embedders: { own: null } });
  assert.deepEqual(await shown(), before);
  await index.written("PATCH", "/settings", { embedders: OWN });
  assert.deepEqual(await shown(), before);
});

test("what was made one bit a number stays so when its embedder is removed", async () => {
  await index.written("PATCH", "/settings", { embedders: { own: { ...OWN.own, binaryQuantized: true } } });
  await index.written("POST", "/documents", [{ id: 1, _vectors: { own: [0.5, -3] } }]);
  await index.written("PATCH", "/settings", { embedders: { own: null } });
  assert.deepEqual(await shown(), [{ own: { embeddings: [[1, 0]], regenerate: false } }]);
});

// The interface, q: "words in double quotes form a phrase search (order kept, case-insensitive, soft separators such as `-` `,` `:`
// ignored, hard separators split it into separate phrases)". As recorded of the reference, a comma or a full stop with a
// blank behind it is hard.
test("soft separators in a phrase are ignored, hard ones make two phrases of it", async () => {
  await index.written("POST", "/documents", [
    { id: 1, title: "one two three" },
    { id: 2, title: "two three one" },
    { id: 3, title: "three two one" },
  ]);
  const found = async (q: string) => (await search({ q })).body.hits.map(({ id }) => id);
  for (const q of ['"one two"', '"One-Two"', '"one,two"', '"one:two"']) assert.deepEqual(await found(q), [1], q);
  for (const q of ['"two three, one"', '"two three. one"', '"two three! one"'])
    assert.deepEqual(await found(q), [2, 1], q);
  assert.deepEqual(await found('"two three,one"'), [2]);
});

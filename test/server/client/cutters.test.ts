import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type Batch, batchesOf } from "../../../src/server/client/import/batches.ts";
import { cutterFor, type Format } from "../../../src/server/client/import/cutters.ts";

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('"', "\\", "\n", '],[{"', "é😀", ",", "}\n{", ""));
const document = fc.record({ id: fc.nat(1e6), title: text, list: fc.array(text, { maxLength: 2 }) });
type Entry = { id: number; title: string; list: string[] };

/** The bytes in pieces, cut wherever chance wants it. */
async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const WRITERS: Record<Format, (documents: Entry[], isPretty: boolean) => string> = {
  json: (documents, isPretty) => `${isPretty ? " \n" : ""}${JSON.stringify(documents, null, isPretty ? 2 : 0)}\n`,
  ndjson: (documents, isPretty) => documents.map((each) => JSON.stringify(each)).join("\n") + (isPretty ? "\n" : ""),
  objects: (documents, isPretty) =>
    documents.map((each) => JSON.stringify(each, null, isPretty ? 2 : 0)).join(isPretty ? "\n" : ""),
  csv: (documents, isPretty) =>
    ["id,title", ...documents.map(({ id, title }) => `${id},"${title.replaceAll('"', '""')}"`)].join("\n") +
    (isPretty ? "\n" : ""),
};

/** As a server reads a body on its own. */
const READERS: Record<Format, (body: string) => unknown[]> = {
  json: (body) => JSON.parse(body),
  ndjson: (body) =>
    body
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line)),
  objects(body) {
    const ends: unknown[] = [];
    // Tried at every end there may be, as strings may have brackets in them.
    for (let begin = 0, end = body.indexOf("}"); end >= 0; end = body.indexOf("}", end + 1)) {
      try {
        ends.push(JSON.parse(body.slice(begin, end + 1)));
        begin = end + 1;
      } catch {}
    }
    return ends;
  },
  csv(body) {
    const [header, ...records] = [...body.matchAll(/(\w+,\w+|(\d+),"((?:[^"]|"")*)")(?:\n|$)/g)];
    assert.equal(header?.[1], "id,title", body);
    return records.map(([, , id, title]) => ({ id: Number(id), title: title!.replaceAll('""', '"') }));
  },
};

const collect = async (batches: AsyncIterable<Batch>): Promise<Batch[]> => {
  const all: Batch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
};

for (const format of ["json", "ndjson", "csv", "objects"] as const) {
  test(`${format}: batches are whole bodies, have every document once, and any of them can be gone on from`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 200 }),
        async (documents, isPretty, sizes, bytesMax) => {
          const bytes = Buffer.from(WRITERS[format](documents, isPretty));
          const expected = documents.map(({ id, title, list }) =>
            format === "csv" ? { id, title } : { id, title, list },
          );
          const read = ({ body }: Batch) => READERS[format](Buffer.concat(body).toString());
          const whole = await collect(batchesOf(inPieces(bytes, sizes), cutterFor(format), { bytesMax, offset: 0 }));
          assert.deepEqual(whole.flatMap(read), expected);
          for (const batch of whole) assert.equal(read(batch).length, batch.documents);
          let known = 0;
          for (const { end, memory, documents: count } of whole) {
            known += count;
            const cutter = cutterFor(format, memory);
            const options = { bytesMax, offset: end };
            const rest = await collect(batchesOf(inPieces(bytes.subarray(end), sizes), cutter, options));
            assert.deepEqual(rest.flatMap(read), expected.slice(known));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
}

test("no batch of several documents is larger than asked, when they come one by one", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(document, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 400 }),
      async (documents, bytesMax) => {
        const bytes = Buffer.from(WRITERS.ndjson(documents, true));
        let begin = 0;
        const options = { bytesMax, offset: 0 };
        for (const batch of await collect(batchesOf(inPieces(bytes, [1]), cutterFor("ndjson"), options))) {
          assert.ok(batch.documents === 1 || batch.end - begin <= bytesMax);
          begin = batch.end;
        }
        assert.equal(begin, bytes.length);
      },
    ),
  );
});

test("nothing gives no batch, and an array that does not end is told of", async () => {
  for (const format of ["ndjson", "csv"] as const) {
    for (const nothing of ["", "\n\n", " "]) {
      const source = inPieces(Buffer.from(nothing), [1]);
      assert.deepEqual(await collect(batchesOf(source, cutterFor(format), { bytesMax: 1, offset: 0 })), []);
    }
  }
  const options = { bytesMax: 1, offset: 0 };
  assert.deepEqual(await collect(batchesOf(inPieces(Buffer.from("[ ]"), [1]), cutterFor("json"), options)), []);
  const cut = batchesOf(inPieces(Buffer.from('[{"id":1},{"id"'), [100]), cutterFor("json"), {
    bytesMax: 99,
    offset: 0,
  });
  await assert.rejects(collect(cut), /ends in the middle/);
  const open = batchesOf(inPieces(Buffer.from('{"id":1}{"id":"2'), [100]), cutterFor("objects"), options);
  await assert.rejects(collect(open), /ends in the middle/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseSearch, saidText } from "../../../src/base/contract/search.ts";
import { CODINGS } from "../../../src/engine/link/coding.ts";
import {
  CONTENT_TYPES,
  decodeAnswer,
  decodeRequest,
  encodeAnswer,
  encodePieceHead,
  encodeRequest,
  type SearchCall,
  WANTS,
} from "../../../src/engine/link/requests.ts";
import { RequestIds, SLOTS, Slots, slotOf } from "../../../src/engine/link/slots.ts";

test("a request survives its bytes", () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.string({ unit: "grapheme" }), fc.uint8Array(), (id, uid, payload) => {
      const header = { indexUid: uid, id: uid, fields: [uid], retrieveVectors: true };
      const request = decodeRequest(Buffer.concat([encodeRequest(id, "documents.get", header), payload]));
      assert.equal(request.id, id);
      assert.equal(request.kind, "documents.get");
      assert.deepEqual(request.header, header);
      assert.deepEqual([...request.payload], [...payload]);
    }),
  );
});

test("an answer survives its bytes", () => {
  const contentType = fc.constantFrom(...CONTENT_TYPES);
  fc.assert(
    fc.property(
      fc.nat(0xffffffff),
      fc.nat(999),
      contentType,
      fc.uint8Array(),
      fc.boolean(),
      fc.constantFrom(null, ...CODINGS),
      fc.option(fc.uint8Array({ minLength: 1 })),
      fc.option(fc.nat(0xfffffffe)),
      fc.constantFrom(null, ...WANTS),
      (id, status, type, body, more, coding, marks, found, wants) => {
        const said = { status, contentType: type, coding, found, wants };
        const [bodyBytes, marksBytes] = [body.length, marks?.length ?? 0];
        const whole = Buffer.concat([encodeAnswer(id, bodyBytes, { ...said, marks }), body]);
        const { piece, ...rest } = decodeAnswer(whole);
        assert.deepEqual(rest, { ...said, id, bodyBytes, marksBytes, more: false });
        assert.deepEqual([...piece], [...(marks ?? []), ...body]);
        const head = encodePieceHead(id, bodyBytes, more, { ...said, marks });
        const { piece: next, ...same } = decodeAnswer(Buffer.concat([head, body]));
        assert.deepEqual(same, { ...rest, more });
        assert.deepEqual([...next], [...body]);
      },
    ),
  );
});

test("ids of requests under way never share a slot and are not repeated soon", () => {
  const ids = new RequestIds();
  const seen = new Set<number>();
  for (let round = 0; round < 3; round++) {
    const underWay = Array.from({ length: SLOTS }, () => ids.take());
    assert.equal(new Set(underWay.map(slotOf)).size, SLOTS);
    assert.equal(ids.take(), -1);
    for (const id of underWay) {
      assert.ok(!seen.has(id));
      seen.add(id);
      ids.giveBack(id);
    }
  }
});

test("a slot tells who works on a request and whether it is wanted", () => {
  const slots = new Slots();
  assert.equal(slots.owner(5), -1);
  slots.own(5, 63);
  slots.cancel(5);
  assert.equal(new Slots(slots.buffer).owner(5), 63);
  assert.equal(slots.isCanceled(5), true);
  slots.clear(5);
  assert.equal(slots.owner(5), -1);
  assert.equal(slots.isCanceled(5), false);
});

test("a search says only what differs from the defaults and is complete again on the other side", () => {
  const bodies = fc.record(
    {
      q: fc.option(fc.string()),
      limit: fc.nat(30),
      offset: fc.nat(3),
      filter: fc.option(fc.string()),
      facets: fc.option(fc.array(fc.string())),
      cropMarker: fc.option(fc.string()),
      highlightPreTag: fc.option(fc.string()),
      showRankingScore: fc.boolean(),
      matchingStrategy: fc.constantFrom("last", "all"),
    },
    { requiredKeys: [] },
  );
  const calls = fc.record({
    arrivedAt: fc.double({ noNaN: true }),
    dropAfterMs: fc.double({ noNaN: true }),
    requestUid: fc.uuid(),
    includeMetadata: fc.boolean(),
    coding: fc.constantFrom(null, ...CODINGS),
  });
  const uids = fc.string({ unit: "grapheme", maxLength: 40 });
  const hydrates = fc.option(fc.array(uids), { nil: undefined });
  fc.assert(
    fc.property(bodies, calls, uids, hydrates, fc.boolean(), (body, told, indexUid, named, isSaid) => {
      const call: SearchCall = { ...told, ...(named === undefined ? {} : { hydrates: named }) };
      const header = { indexUid, query: parseSearch(body), call };
      const said = isSaid ? { said: saidText(header.query) } : {};
      const bytes = Buffer.from(encodeRequest(1, "search", { ...header, ...said }));
      const request = decodeRequest(Buffer.concat([bytes, Buffer.from("payload")]));
      assert.deepEqual(request.header, header);
      assert.equal(Buffer.from(request.payload).toString(), "payload");
      const least = encodeRequest(1, "search", { ...header, query: parseSearch({}) });
      assert.ok(bytes.length - least.length <= Buffer.byteLength(JSON.stringify(body)));
    }),
  );
});

/** A reader thread for tests of the pool: the id of a `documents.get` says what to do. */
import { apiError, indexNotFound } from "../../../src/base/errors/errors.ts";
import { ByteRing } from "../../../src/engine/link/ring.ts";
import { readRequests } from "../../../src/engine/reader/loop.ts";
import type { Handlers, ReaderTask, Reply } from "../../../src/engine/reader/task.ts";

const json = (value: unknown, status = 200): Reply => ({
  status,
  contentType: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const CANCELED_WITHIN_MS = 30_000;

/** A delimiter that asks for marks: the payload in reverse. */
const MARKED = 1;

let served = 0;
let ring: ByteRing | null = null;

const handlers: Pick<Handlers, "documents.get" | "documents.list" | "payload.prepare"> = {
  "documents.get": ({ id, indexUid }, _payload, context) => {
    served++;
    switch (id) {
      case "empty":
        return json({});
      case "throw":
        throw new Error("something broke");
      case "refuse":
        throw apiError("bad_request", "No.");
      case "throw-later":
        context.snapshot();
        return Promise.reject(indexNotFound(indexUid));
      case "sleep":
        sleep(Number(indexUid));
        return json({ canceled: context.canceled() });
      case "until-canceled": {
        // Whoever waits for it to begin sees the pin.
        context.snapshot();
        for (let waited = 0; waited < CANCELED_WITHIN_MS && !context.canceled(); waited++) sleep(1);
        return json({ canceled: context.canceled() });
      }
      case "wait":
        context.snapshot();
        return new Promise((resolve) => setTimeout(() => resolve(json({ waited: indexUid })), Number(indexUid)));
      case "exit":
        process.exit(7);
        break;
      case "exit-with-next":
        while (ring?.take() === null) sleep(1);
        process.exit(7);
        break;
      case "crash":
        setImmediate(() => {
          throw new Error("outside of any request");
        });
        return new Promise(() => {});
      case "pin":
        context.snapshot();
        return json({ epoch: context.snapshot().epoch });
      case "view": {
        const view = context.snapshot().index(indexUid);
        if (view === null) throw indexNotFound(indexUid);
        return json({
          documentCount: view.documentCount,
          ids: view.segments.flatMap(({ reader, live }) => [...live.toArray()].map((row) => reader.externalId(row))),
          bodies: view.segments.map(({ reader }) => Buffer.from(reader.readDocument(0)).toString()),
        });
      }
    }
    return json({ served });
  },
  "documents.list": ({ limit }) => ({ status: 200, contentType: "application/json", body: Buffer.alloc(limit, 0x61) }),
  "payload.prepare": ({ delimiter }, payload) => {
    const answer: Reply = { status: 200, contentType: "application/octet-stream", body: payload };
    return delimiter === MARKED ? { ...answer, marks: Buffer.from(payload).reverse() } : answer;
  },
};

export function readerLoop(task: ReaderTask): Promise<void> {
  ring = new ByteRing(task.requests);
  return readRequests(task, handlers as Handlers);
}

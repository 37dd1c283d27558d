/** Bodies of tens of megabytes: the front takes their bytes in, a piece at a time, and does nothing with them in one go. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import test, { after, before } from "node:test";
import zlib from "node:zlib";
import { HealthProbe, quantile } from "../lib/health-probe.ts";
import { heldEmbedder } from "../lib/held-embedder.ts";
import { LOOPBACK } from "../lib/network.ts";
import { within } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";

const MB = 1_000_000;
const BYTES = 90 * MB;
const PIECE_BYTES = 512 * 1024;
/** What a piece takes, and room for a collection of garbage; whatever is done with all of the bytes takes 25 to 500. */
const FRONT_MS_MAX = 12;
/** What happens by chance does not happen every time. */
const TIMES = 3;

let server: TestServer;
before(async () => {
  server = await TestServer.start({ args: LOOPBACK });
});
after(() => server.dispose());

interface Sent {
  path: string;
  body: Buffer;
  headers?: Record<string, string>;
  isChunked?: boolean;
}

/** Piece by piece: the next one when the front has come round. All at once, the kernel would hold it and the front take it in one go. */
function send({ path, body, headers = {}, isChunked = false }: Sent): Promise<string> {
  const length = isChunked ? {} : { "content-length": String(body.length) };
  const request = http.request(server.base + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...length, ...headers },
  });
  const answered = once(request, "response").then(async ([response]: http.IncomingMessage[]) => {
    let text = "";
    for await (const chunk of response!) text += chunk;
    return `${response!.statusCode} ${text}`;
  });
  const write = async (): Promise<void> => {
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      request.write(body.subarray(at, at + PIECE_BYTES));
      await server.request("GET", "/health");
    }
    request.end();
  };
  return within(
    write().then(() => answered),
    () => `an answer to ${path}`,
  );
}

/** The longest work of the front that a question waited for, in the best of several times. */
async function longestMs(work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TIMES && least > FRONT_MS_MAX; time++) {
    const probe = new HealthProbe(server.base, server.pid);
    await work();
    least = Math.min(least, quantile((await probe.stop()).frontMs, 1));
  }
  return least;
}

async function sentMs(sent: Sent): Promise<number> {
  return longestMs(async () => {
    const told = await send(sent);
    assert.match(told, /^202 /, told.slice(0, 200));
    const uid = Number(/"taskUid":(\d+)/.exec(told)?.[1]);
    for (let i = 0; i < 3; i++) await server.request("GET", `/tasks?limit=1&from=${uid}`);
    await server.waitTask(uid);
  });
}

const ids = (bytes: number): Buffer => {
  const item = `"${"x".repeat(300)}",`;
  return Buffer.from(`[${item.repeat(bytes / item.length)}"x"]`);
};

test("ids to be deleted", async () => {
  const ms = await sentMs({ path: "/indexes/none/documents/delete-batch", body: ids(BYTES) });
  assert.ok(ms < FRONT_MS_MAX, `the front worked ${ms} ms`);
});

const documents = (bytes: number): Buffer => {
  const document = `{"id":1,"text":"${"words of it ".repeat(20)}"},`;
  return Buffer.from(`[${document.repeat(bytes / document.length)}{"id":2}]`);
};

test("a body whose length nobody announces", async () => {
  const ms = await sentMs({ path: "/indexes/none/documents", body: documents(BYTES), isChunked: true });
  assert.ok(ms < FRONT_MS_MAX, `the front worked ${ms} ms`);
});

test("a compressed body", async () => {
  const sent = { path: "/indexes/none/documents/delete-batch", body: zlib.gzipSync(ids(BYTES)) };
  const ms = await sentMs({ ...sent, headers: { "content-encoding": "gzip" } });
  assert.ok(ms < FRONT_MS_MAX, `the front worked ${ms} ms`);
});

test("documents of a task that waits", async () => {
  // Before there is a connection that gets idle meanwhile.
  const body = documents(BYTES);
  const embedder = await heldEmbedder();
  try {
    await server.request("PATCH", "/experimental-features", { getTaskDocumentsRoute: true });
    await server.write("POST", "/indexes/held/documents", [{ id: 1 }]);
    await server.request("PATCH", "/indexes/held/settings", { embedders: { e: embedder.settings } });
    const told = await send({ path: "/indexes/held/documents", body });
    const path = `/tasks/${/"taskUid":(\d+)/.exec(told)?.[1]}/documents`;
    const ms = await longestMs(async () => {
      const [response] = (await once(
        http.get(server.base + path, { agent: false }),
        "response",
      )) as http.IncomingMessage[];
      assert.equal(response!.statusCode, 200);
      let bytes = 0;
      for await (const chunk of response!) bytes += (chunk as Buffer).length;
      assert.ok(bytes > 0.99 * BYTES, `${bytes} of ${BYTES}`);
    });
    assert.ok(ms < FRONT_MS_MAX, `the front worked ${ms} ms`);
  } finally {
    embedder.letGo();
    embedder.close();
  }
});

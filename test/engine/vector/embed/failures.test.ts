import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { AddressPolicy } from "../../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../../src/base/net/outgoing.ts";
import { clockMs } from "../../../../src/base/time/clock.ts";
import {
  embedderFor,
  forDocuments,
  plain,
  type Reply,
  restReply,
  restSettings,
  startProvider,
  texts,
  vectorFor,
} from "./lib.ts";

const tooMany: Reply = { status: 429, json: { error: "slow down" } };

test("too many requests: tried again until it works, every try counted", async (t) => {
  const provider = await startProvider(t, (asked, nth) => (nth <= 2 ? tooMany : restReply(asked)));
  const problems: (string | null)[] = [];
  const options = forDocuments({ onRequest: (problem) => problems.push(problem) });
  const started = performance.now();
  const vectors = await embedderFor(t, restSettings(provider.url)).embed(texts("a"), options);
  assert.ok(performance.now() - started >= 200, "a provider that counts requests is given time");
  assert.deepEqual(plain(vectors), [vectorFor("a")]);
  assert.equal(problems.length, 3);
  assert.match(problems[0]!, /too many requests \(status 429\); it said: .*slow down/);
  assert.equal(problems[2], null);
});

test("a failing provider, answers that are no JSON, and hang-ups are tried again", async (t) => {
  const provider = await startProvider(t, (asked, nth): Reply => {
    if (nth === 1) return { status: 503, json: null };
    if (nth === 2) return (response) => response.end("<html>");
    if (nth === 3) return (_, request) => request.socket.destroy();
    if (nth === 4) {
      return (response) => response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy());
    }
    return restReply(asked);
  });
  const vectors = await embedderFor(t, restSettings(provider.url)).embed(texts("a"), forDocuments());
  assert.deepEqual(plain(vectors), [vectorFor("a")]);
  assert.equal(provider.received.length, 5);
});

test("a provider that always fails is given up within the time for retries", async (t) => {
  const provider = await startProvider(t, () => ({ status: 500, json: "out of memory" }));
  const embedder = embedderFor(t, restSettings(`${provider.url}/embed?key=secret`), { retryMsMax: 400 });
  await assert.rejects(embedder.embed(texts("a"), forDocuments()), (error: Error) => {
    assert.match(
      error.message,
      /^Error while generating embeddings: runtime error: `http:.*\/embed` failed \(status 500\)/,
    );
    assert.match(error.message, /it said: "out of memory"/);
    assert.ok(!error.message.includes("secret"));
    return true;
  });
  assert.ok(provider.received.length >= 2);
});

test("a search is tried less often, and a provider that names a wait is not asked before", async (t) => {
  const provider = await startProvider(t, () => ({ status: 500, json: null }));
  const embedder = embedderFor(t, restSettings(provider.url));
  await assert.rejects(embedder.embed(texts("a"), forDocuments({ purpose: "search" })), { retryable: true });
  assert.equal(provider.received.length, 4);
  const patient = await startProvider(
    t,
    () => (response) => response.writeHead(503, { "retry-after": "3600" }).end("maintenance"),
  );
  await assert.rejects(embedderFor(t, restSettings(patient.url)).embed(texts("a"), forDocuments()), /maintenance/);
  assert.equal(patient.received.length, 1);
});

test("what another try would not change fails at once", async (t) => {
  const cases: [Reply, RegExp][] = [
    [{ status: 400, json: "bad" }, /user error: .* found the request invalid \(status 400\)/],
    [{ status: 401, json: "who" }, /user error: .* refused the API key \(status 401\); check `apiKey`/],
    [{ status: 403, json: "no" }, /user error: .* refused the API key \(status 403\)/],
    [{ status: 404, json: "no" }, /user error: .* refused the request \(status 404\)/],
    [{ json: { nothing: 1 } }, /user error: the answer does not fit `response`: at `response`/],
    [{ json: { data: [] } }, /runtime error: .*`response\.data` has 0 embedding\(s\) for 1 text\(s\)/],
  ];
  let reply: Reply = tooMany;
  const provider = await startProvider(t, () => reply);
  for (const [i, [answer, message]] of cases.entries()) {
    reply = answer;
    const call = embedderFor(t, restSettings(provider.url)).embed(texts("a"), forDocuments());
    await assert.rejects(call, { message, retryable: false, code: "vector_embedding_error" });
    assert.equal(provider.received.length, i + 1);
  }
});

test("redirects are not followed", async (t) => {
  const elsewhere = await startProvider(t, restReply);
  const provider = await startProvider(
    t,
    () => (response) => response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const call = embedderFor(t, restSettings(provider.url)).embed(texts("a"), forDocuments());
  await assert.rejects(call, /redirects elsewhere \(status 307\), which is not followed/);
  assert.equal(elsewhere.received.length, 0);
});

test("addresses that are not public are refused unless allowed", async (t) => {
  const provider = await startProvider(t, restReply);
  const outgoing = new Outgoing(new AddressPolicy([]));
  for (const url of [provider.url, provider.url.replace("127.0.0.1", "localhost")]) {
    const call = embedderFor(t, restSettings(url), { outgoing }).embed(texts("a"), forDocuments());
    await assert.rejects(call, {
      kind: "user",
      retryable: false,
      message: /cannot be called: the address .* is not public; allow it with --experimental-allowed-ip-networks/,
    });
  }
  assert.equal(provider.received.length, 0);
});

test("an endless answer is cut off, and not asked for again", async (t) => {
  const provider = await startProvider(t, () => (response) => {
    const chunk = Buffer.alloc(1 << 20, " ");
    const more = () => {
      while (response.write(chunk));
    };
    response.on("drain", more);
    more();
  });
  const call = embedderFor(t, restSettings(provider.url)).embed(texts("a"), forDocuments());
  await assert.rejects(call, { message: /answered with more than \d+ bytes/, retryable: false });
  assert.equal(provider.received.length, 1);
});

test("a slow provider: each request has its time, also for the body, and a search its deadline", async (t) => {
  const silent = await startProvider(t, () => () => {});
  const dripping = await startProvider(t, () => (response) => response.write("{"));
  const hurried = { requestTimeoutMs: 20, retryMsMax: 10 };
  for (const { url } of [silent, dripping]) {
    const call = embedderFor(t, restSettings(url), hurried).embed(texts("a"), forDocuments());
    await assert.rejects(call, { message: /could not be reached: no answer within 0.02 s/, retryable: true });
  }
  const embedder = embedderFor(t, restSettings(silent.url));
  const search = embedder.embed(texts("a"), forDocuments({ purpose: "search", deadline: clockMs() + 30 }));
  await assert.rejects(search, { message: /no answer within/, retryable: true });
  assert.ok(silent.received.length <= 2);
});

test("nobody listens", async (t) => {
  const embedder = embedderFor(t, restSettings("http://127.0.0.1:1/"), { retryMsMax: 10 });
  await assert.rejects(embedder.embed(texts("a"), forDocuments()), { message: /could not be reached: .*ECONNREFUSED/ });
  const header = embedderFor(t, restSettings("http://127.0.0.1:1/", { headers: { "X-A": "a\nb" } }));
  await assert.rejects(header.embed(texts("a"), forDocuments()), { message: /no request can be made/, kind: "user" });
});

test("a call that is called off hangs up, also while it waits to try again", async (t) => {
  let hungUp: Promise<unknown> = Promise.resolve();
  const silent = await startProvider(t, () => (_, request) => {
    hungUp = once(request.socket, "close");
  });
  const stop = new AbortController();
  const call = embedderFor(t, restSettings(silent.url)).embed(texts("a"), forDocuments({ signal: stop.signal }));
  await silent.cameTo(1);
  stop.abort(new Error("called off"));
  await assert.rejects(call, /called off/);
  await hungUp;

  const busy = await startProvider(t, () => (response) => response.writeHead(429, { "retry-after": "2" }).end());
  const again = new AbortController();
  const waiting = embedderFor(t, restSettings(busy.url)).embed(
    texts("a"),
    forDocuments({ signal: again.signal, onRequest: () => setImmediate(() => again.abort(new Error("called off"))) }),
  );
  await assert.rejects(waiting, /called off/);
  assert.equal(busy.received.length, 1);
});

test("one failed request breaks the others of its call off", async (t) => {
  const provider = await startProvider(t, ({ body }): Reply => {
    if ((body["input"] as string[]).includes("bad")) return { status: 400, json: "bad" };
    return () => {};
  });
  const inputs = texts(...Array<string>(10).fill("good"), "bad");
  await assert.rejects(embedderFor(t, restSettings(provider.url)).embed(inputs, forDocuments()), /status 400/);
});

test("no more than forty requests for documents at once, and a search does not wait for them", async (t) => {
  const held: (() => void)[] = [];
  const provider = await startProvider(t, (asked): Reply => {
    if ((asked.body["input"] as string[])[0] === "query") return restReply(asked);
    return (response) => {
      const { json } = restReply(asked) as { json: object };
      held.push(() => response.end(JSON.stringify(json)));
    };
  });
  const embedder = embedderFor(t, restSettings(provider.url));
  const documents = embedder.embed(texts(...Array<string>(500).fill("document")), forDocuments());
  await provider.cameTo(40);
  const [vector] = await embedder.embed(texts("query"), forDocuments({ purpose: "search" }));
  assert.deepEqual([...vector!], vectorFor("query"));
  assert.equal(held.length, 40);
  for (const answer of held.splice(0)) answer();
  await provider.cameTo(51);
  for (const answer of held) answer();
  assert.equal((await documents).length, 500);
});

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import type { ApiError } from "../../../src/base/errors/errors.ts";
import { AddressPolicy } from "../../../src/base/net/address-policy.ts";
import { Latencies } from "../../../src/base/net/latencies.ts";
import { Outgoing } from "../../../src/base/net/outgoing.ts";
import { type RemoteBounds, Remotes } from "../../../src/base/net/remotes.ts";
import { Standing } from "../../../src/base/net/standing.ts";
import { Crowded, Turnstile } from "../../../src/base/net/turnstile.ts";

type Behaviour = (request: IncomingMessage, response: ServerResponse, calls: number) => void;

/** A server that does as it is told, and a client that asks it. */
async function withServer(
  behaviour: Behaviour,
  bounds: Partial<RemoteBounds>,
  run: (ask: () => Promise<string>, calls: () => number, remotes: Remotes, sockets: () => number) => Promise<void>,
): Promise<void> {
  let calls = 0;
  let sockets = 0;
  const server = createServer((request, response) => behaviour(request, response, ++calls));
  server.on("connection", () => sockets++);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const outgoing = new Outgoing(new AddressPolicy(["127.0.0.0/8"]));
  const remotes = new Remotes(outgoing, { deadlineMs: 2000, ...bounds });
  const never = new AbortController().signal;
  const ask = async (): Promise<string> => {
    const call = { path: "/multi-search", headers: {}, body: Buffer.from("{}"), signal: never };
    return Buffer.concat(await remotes.post("it", { url, searchApiKey: "secret" }, call)).toString();
  };
  try {
    await run(
      ask,
      () => calls,
      remotes,
      () => sockets,
    );
  } finally {
    outgoing.close();
    server.closeAllConnections();
    server.close();
  }
}

const code = (expected: string) => (error: unknown) => (error as ApiError).code === expected;

test("the key goes along, connections are kept", async () => {
  const behaviour: Behaviour = (request, response) => response.end(`${request.url} ${request.headers.authorization}`);
  await withServer(behaviour, {}, async (ask, calls, _remotes, sockets) => {
    for (let i = 0; i < 10; i++) assert.equal(await ask(), "/multi-search Bearer secret");
    assert.equal(calls(), 10);
    assert.equal(sockets(), 1);
  });
});

test("statuses become the errors of the interface", async () => {
  for (const [status, expected, calls] of [
    [400, "remote_bad_request", 1],
    [404, "remote_bad_request", 1],
    [401, "remote_invalid_api_key", 1],
    [403, "remote_invalid_api_key", 1],
    [500, "remote_remote_error", 3],
    [503, "remote_remote_error", 3],
    [302, "remote_bad_response", 1],
  ] as const) {
    const behaviour: Behaviour = (_request, response) => response.writeHead(status).end("why");
    await withServer(behaviour, {}, async (ask, counted) => {
      await assert.rejects(ask, code(expected));
      assert.equal(counted(), calls, String(status));
    });
  }
});

test("what fails once is asked again", async () => {
  const behaviour: Behaviour = (request, response, calls) => {
    if (calls === 1) request.socket.destroy();
    else if (calls === 2) response.writeHead(500).end();
    else response.end("well");
  };
  await withServer(behaviour, {}, async (ask, calls) => {
    assert.equal(await ask(), "well");
    assert.equal(calls(), 3);
  });
});

test("a server that keeps failing is asked once a time, and counts as unavailable until it answers", async () => {
  let isDown = true;
  const behaviour: Behaviour = (_request, response) => response.writeHead(isDown ? 500 : 200).end("well");
  await withServer(behaviour, {}, async (ask, calls, remotes) => {
    assert.equal(remotes.isAvailable("it"), true);
    await assert.rejects(ask);
    assert.equal(remotes.isAvailable("it"), false);
    const before = calls();
    await assert.rejects(ask);
    assert.equal(calls(), before + 1);
    isDown = false;
    assert.equal(await ask(), "well");
    assert.equal(remotes.isAvailable("it"), true);
  });
});

test("no answer in time is a timeout, and an answer that stops in the middle too", async () => {
  for (const behaviour of [() => {}, (_request: IncomingMessage, response: ServerResponse) => response.write("{")]) {
    await withServer(behaviour, { deadlineMs: 200 }, async (ask) => {
      const from = performance.now();
      await assert.rejects(ask, code("remote_timeout"));
      assert.ok(performance.now() - from >= 190);
    });
  }
});

test("a call that takes longer than most is made once more, and the first answer counts", async () => {
  let isHanging = false;
  let hung = 0;
  const behaviour: Behaviour = (_request, response, calls) => {
    // One hangs for good. Others may have been made twice as well, where the machine was busy.
    if (isHanging && hung === 0) hung = calls;
    else response.end(String(calls));
  };
  await withServer(behaviour, {}, async (ask) => {
    for (let i = 0; i < 30; i++) await ask();
    isHanging = true;
    const answered = Number(await ask());
    assert.ok(hung > 30, String(hung));
    assert.ok(answered > hung, `${answered} after ${hung}`);
  });
});

test("no more calls than allowed are under way, and those beyond the queue are refused", async () => {
  let open = 0;
  let most = 0;
  const behaviour: Behaviour = (_request, response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.end("well");
    }, 20);
  };
  await withServer(behaviour, { callsMax: 2, waitingMax: 3 }, async (ask) => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, ask));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 5);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") assert.equal(outcome.reason.code, "remote_could_not_send_request");
    }
    assert.equal(most, 2);
  });
});

test("who waits for a turn and gives up leaves the queue", async () => {
  const turnstile = new Turnstile(1, 1);
  let free = (): void => {};
  const never = new AbortController().signal;
  const first = turnstile.run(never, () => new Promise<void>((resolve) => (free = resolve)));
  const leaving = new AbortController();
  const second = turnstile.run(leaving.signal, async () => assert.fail("it had left"));
  await assert.rejects(
    turnstile.run(never, async () => {}),
    Crowded,
  );
  leaving.abort(new Error("gone"));
  await assert.rejects(second, /gone/);
  const third = turnstile.run(never, async () => "third");
  free();
  await first;
  assert.equal(await third, "third");
});

test("late is what 95 of 100 calls were not", () => {
  const latencies = new Latencies();
  for (let ms = 1; ms <= 19; ms++) latencies.add(ms * 100);
  assert.equal(latencies.lateAfterMs(), null);
  latencies.add(2000);
  assert.equal(latencies.lateAfterMs(), 1900);
  for (let i = 0; i < 1000; i++) latencies.add(1);
  assert.equal(latencies.lateAfterMs(), 10);
});

test("a server is avoided for 30 s, then twice as long each time, at most 5 minutes", () => {
  const standing = new Standing();
  let now = 1000;
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    standing.failed(now);
    assert.equal(standing.isAvoided(now + seconds * 1000 - 1), true);
    now += seconds * 1000;
    assert.equal(standing.isAvoided(now), false);
  }
  standing.succeeded();
  standing.failed(now);
  assert.equal(standing.isAvoided(now + 30_000), false);
});

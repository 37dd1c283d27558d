import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { type Answer, type AnswerStream, jsonAnswer } from "../../../src/server/front/answer.ts";
import type { TransportName } from "../../../src/server/front/transport/choose.ts";
import { until } from "../../lib/patience.ts";
import { echoRoutes, type Running, route, startServer } from "./fixture.ts";
import { ask, heard, midway, rawSocket } from "./raw-client.ts";
import { forEachTransport } from "./transports.ts";

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Something to wait for that happens elsewhere. */
function event<T = void>(): { happened: Promise<T>; happens: (value: T) => void } {
  let happens = (_: T): void => {};
  const happened = new Promise<T>((resolve) => {
    happens = resolve;
  });
  return { happened, happens };
}

/** A body too large for the buffers between a server and a client that does not read. */
const LARGE_BYTES = 16 * 1024 * 1024;
const large = route("GET", "/large", () => ({
  status: 200,
  contentType: "text/plain",
  body: Buffer.alloc(LARGE_BYTES, "x"),
}));

forEachTransport((transport: TransportName) => {
  async function started(t: TestContext, routes = echoRoutes): Promise<Running> {
    const running = await startServer(transport, routes);
    t.after(() => running.server.stop(0));
    return running;
  }

  test("a client that goes away cancels the work done for it", async (t) => {
    const begun = event();
    const canceled = event();
    const slow = route("GET", "/slow", (request) => {
      request.onAbort(canceled.happens);
      begun.happens();
      return canceled.happened.then(() => jsonAnswer(200, {}));
    });
    const running = await started(t, [slow]);
    const controller = new AbortController();
    const pending = assert.rejects(fetch(`${running.base}/slow`, { signal: controller.signal }));
    await begun.happened;
    controller.abort();
    await pending;
    await canceled.happened;
    assert.ok(running.lines.some((line) => line.includes("request aborted")));
  });

  test("a client that goes away while its body is awaited, or its answer sent, is noticed", async (t) => {
    const running = await started(t, [...echoRoutes, large]);
    const gone = async (said: string, isTold: () => boolean): Promise<void> => {
      const socket = await midway(running.port, said);
      socket.destroy();
      await until(isTold, () => "the server notices");
    };
    const logged = (text: string): boolean => running.lines.some((line) => line.includes(text));
    await gone("POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc", () => logged("request aborted"));
    await gone(GET("/large"), () => logged('"path":"/large"'));
    await running.server.stop();
  });

  test("a stop answers what is under way and refuses what comes later", async (t) => {
    const begun = event();
    const released = event();
    const slow = route("GET", "/slow", async () => {
      begun.happens();
      await released.happened;
      return jsonAnswer(200, { done: true });
    });
    const running = await started(t, [slow]);
    const pending = fetch(`${running.base}/slow`);
    await begun.happened;
    const stopping = running.server.stop();
    released.happens();
    assert.deepEqual(await (await pending).json(), { done: true });
    await stopping;
    await assert.rejects(fetch(`${running.base}/slow`));
  });

  test("a stop does not wait for ever", async (t) => {
    const begun = event();
    const never = route("GET", "/never", () => {
      begun.happens();
      return new Promise<Answer>(() => {});
    });
    const running = await started(t, [never]);
    const pending = assert.rejects(fetch(`${running.base}/never`));
    await begun.happened;
    await running.server.stop(50);
    await pending;
  });

  test("a stop closes connections that are idle, and those that stay mute", async (t) => {
    const running = await started(t);
    const mute = await rawSocket(running.port);
    const idle = await rawSocket(running.port);
    idle.write(GET("/"));
    await once(idle, "data");
    const closed = Promise.all([once(mute, "close"), once(idle, "close")]);
    await running.server.stop();
    await closed;
  });

  test("a stop waits until a large answer has left, but not for one who does not read it", async (t) => {
    const running = await started(t, [large]);
    const reader = await rawSocket(running.port);
    reader.write(GET("/large"));
    await once(reader, "readable");
    const stopping = running.server.stop();
    const { bytes } = await heard(reader);
    assert.ok(bytes.length > LARGE_BYTES, `${bytes.length} bytes`);
    await stopping;

    const other = await started(t, [large]);
    const sleeper = await rawSocket(other.port);
    sleeper.pause();
    sleeper.write(GET("/large"));
    await until(
      () => other.lines.some((line) => line.includes("/large")),
      () => "the request is logged",
    );
    await other.server.stop(50);
    sleeper.destroy();
  });

  test("an endless answer flows as it is written and ends with the server", async (t) => {
    let closed = 0;
    const stream = route("GET", "/stream", () => ({
      status: 200,
      contentType: "text/plain",
      body: null,
      stream(out) {
        out.onClose(() => closed++);
        out.write("first\n");
      },
    }));
    const running = await started(t, [stream]);
    const answer = await fetch(`${running.base}/stream`);
    const reader = answer.body!.getReader();
    assert.equal(Buffer.from((await reader.read()).value!).toString(), "first\n");
    await running.server.stop();
    assert.equal((await reader.read()).done, true);
    assert.equal(closed, 1);
  });

  test("a stream is told that its client reads too slowly, reads again, and leaves", async (t) => {
    const opened = event<AnswerStream>();
    const stream = route("GET", "/stream", () => ({
      status: 200,
      contentType: "text/plain",
      body: null,
      stream: opened.happens,
    }));
    const running = await started(t, [stream]);
    const socket = await rawSocket(running.port);
    socket.pause();
    socket.write(GET("/stream"));
    const out = await opened.happened;
    const drained = event();
    const closed = event();
    out.onDrain(drained.happens);
    out.onClose(closed.happens);
    const chunk = Buffer.alloc(256 * 1024, "x");
    let written = 0;
    while (out.write(chunk)) {
      assert.ok(++written < 1000, "somebody buffers without end");
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.resume();
    await drained.happened;
    assert.equal(out.write("more"), true);
    socket.destroy();
    await closed.happened;
    assert.equal(out.write("nobody listens"), false);
  });

  test("a large answer reaches a slow reader whole, and the connection is of use afterwards", async (t) => {
    const running = await started(t, [...echoRoutes, large]);
    const socket = await rawSocket(running.port);
    let received = 0;
    socket.write(GET("/large"));
    socket.on("data", (data) => {
      received += data.length;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
      if (received > LARGE_BYTES && data.toString().endsWith("x")) socket.write(GET("/things"));
    });
    const { bytes } = await heard(socket, (chunk) => chunk.includes('{"query":""}'));
    const text = bytes.toString("latin1");
    const answers = text.match(/HTTP\/1\.1 200 OK\r\n/g);
    assert.equal(answers?.length, 2);
    assert.equal(text.indexOf("HTTP/1.1", 1) - text.indexOf("\r\n\r\n") - 4, LARGE_BYTES);
  });

  test("two servers do not share a port, not even in two processes", async (t) => {
    // Another process that would be willing to share.
    const other = spawn(
      process.execPath,
      ["--import", "tsx", new URL("willing-to-share.ts", import.meta.url).pathname],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    t.after(() => other.kill());
    const [port] = (await once(other.stdout, "data")) as [Buffer];
    const { server } = await started(t);
    await assert.rejects(server.listen("127.0.0.1", Number(port)), /in use/);
  });

  test("localhost is both loopback addresses, on one port", async (t) => {
    const { server } = await started(t);
    const port = await server.listen("localhost", 0);
    for (const host of ["127.0.0.1", "[::1]"]) assert.equal((await fetch(`http://${host}:${port}/`)).status, 200, host);
    await assert.rejects(server.listen("192.0.2.1", 0), /cannot listen/);
  });

  test("an answer that ends the connection says so and does", async (t) => {
    const parting = route("GET", "/parting", () => ({ ...jsonAnswer(200, {}), close: true }));
    const { port } = await started(t, [parting]);
    const { bytes, closed } = await ask(port, GET("/parting"));
    assert.equal(closed, true);
    assert.equal(bytes.toString().match(/Connection: close\r\n/g)?.length, 1);
  });
});

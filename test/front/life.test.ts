import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import test from "node:test";
import { type Answer, jsonAnswer } from "../../src/front/answer.ts";
import { route, startServer } from "./fixture.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("a client that goes away cancels the work done for it", async () => {
  let canceled = 0;
  const slow = route("GET", "/slow", (request) => {
    request.onAbort(() => canceled++);
    return new Promise<Answer>((resolve) => setTimeout(() => resolve(jsonAnswer(200, {})), 200));
  });
  const running = await startServer([slow]);
  const controller = new AbortController();
  const pending = fetch(`${running.base}/slow`, { signal: controller.signal });
  await pause(50);
  controller.abort();
  await assert.rejects(pending);
  await pause(250);
  assert.equal(canceled, 1);
  assert.ok(running.lines.some((line) => line.includes("request aborted")));
  await running.server.stop();
});

test("a stop answers what is under way and refuses what comes later", async () => {
  const slow = route("GET", "/slow", async () => {
    await pause(150);
    return jsonAnswer(200, { done: true });
  });
  const running = await startServer([slow]);
  const pending = fetch(`${running.base}/slow`);
  await pause(50);
  const stopping = running.server.stop();
  assert.deepEqual(await (await pending).json(), { done: true });
  await stopping;
  await assert.rejects(fetch(`${running.base}/slow`));
});

test("a stop does not wait for ever", async () => {
  const never = route("GET", "/never", () => new Promise<Answer>(() => {}));
  const running = await startServer([never]);
  const pending = assert.rejects(fetch(`${running.base}/never`));
  await pause(50);
  await running.server.stop(50);
  await pending;
});

test("an endless answer flows as it is written and ends with the server", async () => {
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
  const running = await startServer([stream]);
  const answer = await fetch(`${running.base}/stream`);
  const reader = answer.body!.getReader();
  assert.equal(Buffer.from((await reader.read()).value!).toString(), "first\n");
  await running.server.stop();
  assert.equal((await reader.read()).done, true);
  assert.equal(closed, 1);
});

test("a large answer reaches a slow reader whole", async () => {
  const bytes = 8 * 1024 * 1024;
  const large = route("GET", "/large", () => ({
    status: 200,
    contentType: "text/plain",
    body: Buffer.alloc(bytes, "x"),
  }));
  const running = await startServer([large]);
  let received = 0;
  const socket = connect(running.port, "127.0.0.1", () => socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
  await new Promise<void>((resolve) => {
    socket.on("data", (data) => {
      received += data.length;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
      if (received > bytes) resolve();
    });
  });
  socket.destroy();
  await running.server.stop();
});

test("two servers do not share a port, not even in two processes", async () => {
  // Another process that would be willing to share.
  const script = `import("uWebSockets.js").then((uws) => uws.App().any("/*", (res) => res.end())
    .listen("127.0.0.1", 0, (socket) => console.log(uws.us_socket_local_port(socket))))`;
  const other = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve) => other.stdout.once("data", (data) => resolve(Number(data))));
  const { server } = await startServer();
  await assert.rejects(server.listen("127.0.0.1", port), /in use/);
  await server.stop();
  other.kill();
});

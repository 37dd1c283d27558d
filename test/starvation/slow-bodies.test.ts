/** Bodies on their way in: together they take no more than their room, and who sends slowly loses it to others. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import test from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";

const BODY_BYTES = 11_500_000;
const SENT_BYTES = 10_500_000;
const CHUNK = Buffer.alloc(500_000, 0x20);

function residentMb(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096) / 1e6;
}

/** Sends most of a body, then next to nothing; says what it heard before the connection ended. */
class SlowSender {
  heard = "";
  readonly #socket: Socket;
  readonly sent: Promise<void>;
  readonly gone: Promise<void>;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (bytes) => {
      this.heard += bytes.toString("latin1");
    });
    this.#socket.on("error", () => {});
    this.gone = new Promise((resolve) => this.#socket.once("close", () => resolve()));
    this.sent = Promise.race([this.#send(), this.gone]);
  }

  async #send(): Promise<void> {
    const head = `POST /indexes/a/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    this.#socket.write(`${head}Content-Length: ${BODY_BYTES}\r\n\r\n`);
    for (let sent = 0; sent < SENT_BYTES && !this.#socket.destroyed; sent += CHUNK.length) {
      if (!this.#socket.write(CHUNK)) await new Promise((resolve) => this.#socket.once("drain", resolve));
    }
    const crumbs = setInterval(() => this.#socket.write("    ".repeat(1000)), 100);
    void this.gone.then(() => clearInterval(crumbs));
  }

  end(): void {
    this.#socket.destroy();
  }
}

for (const transport of ["auto", "node"]) {
  test(`slow bodies make room for others (--http-transport ${transport})`, async () => {
    const server = await TestServer.start({
      args: ["--http-transport", transport, "--http-payload-size-limit", "12MB"],
    });
    const before = residentMb(server.pid);
    const senders: SlowSender[] = [];
    try {
      const port = Number(new URL(server.base).port);
      for (let i = 0; i < 6; i++) {
        const sender = new SlowSender(port);
        senders.push(sender);
        await sender.sent;
      }
      const documents = Array.from({ length: 60_000 }, (_, id) => ({ id, text: "x".repeat(100) }));
      let answer = await server.request("POST", "/indexes/a/documents", documents);
      // Who is slow is known when they have been watched for a while; until then it is the new one who comes back later.
      for (let tries = 0; answer.status === 503 && tries < 30; tries++) {
        await pause(500);
        answer = await server.request("POST", "/indexes/a/documents", documents);
      }
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      const cut = () => senders.filter(({ heard }) => heard.includes("too_many_search_requests"));
      await until(
        () => cut().length > 0,
        () => "somebody is told to come back later",
      );
      assert.match(cut()[0]!.heard, /^HTTP\/1\.1 503 [\s\S]*Retry-After: 10/i);
      assert.ok(residentMb(server.pid) - before < 250, `${residentMb(server.pid)} MB`);
    } finally {
      for (const sender of senders) sender.end();
      await server.dispose();
    }
  });
}

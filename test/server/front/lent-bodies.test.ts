/** Bytes of an answer that are used for something else as soon as it is handed over, and a client that asks ahead. */
import assert from "node:assert/strict";
import test from "node:test";
import { bytesAnswer } from "../../../src/server/front/answer.ts";
import { WHOLE_BYTES_MAX } from "../../../src/server/front/transport/transport.ts";
import { route, startServer } from "./fixture.ts";
import { ask } from "./raw-client.ts";
import { forEachTransport } from "./transports.ts";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz", ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

forEachTransport((transport) => {
  for (const length of [1000, WHOLE_BYTES_MAX]) {
    test(`${length} bytes arrive as they were sent, not as what came to the same place later`, async () => {
      const lent = Buffer.alloc(length);
      const borrowed = route("GET", "/borrowed/{letter}", (request) =>
        bytesAnswer(200, "text/plain", lent.fill(request.param("letter"))),
      );
      const { server, port } = await startServer(transport, [borrowed]);
      const requests = LETTERS.map((letter, i) => {
        const last = i === LETTERS.length - 1 ? "Connection: close\r\n" : "";
        return `GET /borrowed/${letter} HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
      });
      const text = await ask(port, requests.join(""))
        .then(({ bytes }) => bytes.toString("latin1"))
        .finally(() => server.stop());
      const bodies = text.split(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)+\r\n/).slice(1);
      assert.deepEqual(
        bodies.map((body) => `${body.length} ${[...new Set(body)].join("")}`),
        LETTERS.map((letter) => `${length} ${letter}`),
      );
    });
  }
});

/** Tests that hold on both transports. */
import { describe } from "node:test";
import type { TransportName } from "../../../src/server/front/transport/choose.ts";
import { loadUws } from "../../../src/server/front/transport/uws-module.ts";

/** Why uWebSockets.js cannot be had here; false where it can. */
export const uwsMissing: string | false = await loadUws().then(
  () => false,
  (error: Error) => error.message,
);

export function forEachTransport(tests: (transport: TransportName) => void): void {
  describe("on uWebSockets.js", { skip: uwsMissing }, () => tests("uws"));
  describe("on node:http", () => tests("node"));
}

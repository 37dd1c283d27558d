/** Which transport serves: the quicker one wherever its library can be loaded, Node's own server elsewhere. */
import type { Log } from "../../../base/log/log.ts";
import type { OpenTransport } from "./transport.ts";
import { UwsTransport } from "./uws.ts";
import { loadUws } from "./uws-module.ts";

export type TransportName = "uws" | "node";

/** Loaded only where it serves: most servers need nothing of Node's own HTTP. */
async function onNode(): Promise<OpenTransport> {
  const { NodeTransport } = await import("./node.ts");
  return (tls, accept) => new NodeTransport(tls, accept);
}

/** Rejects only where `uws` is asked for and cannot be had. */
export async function chooseTransport(
  wanted: "auto" | TransportName,
  log: Log,
  load: typeof loadUws = loadUws,
): Promise<OpenTransport> {
  if (wanted === "node") return await onNode();
  try {
    const uws = await load();
    return (tls, accept) => new UwsTransport(uws, tls, accept);
  } catch (error) {
    // What the loader of a binary says besides goes on for lines.
    const reason = (error as Error).message.split("\n", 1)[0]!;
    if (wanted === "uws") throw new Error(reason);
    log.warn("front", "node:http serves, which is slower: uWebSockets.js cannot be loaded", { reason });
    return await onNode();
  }
}

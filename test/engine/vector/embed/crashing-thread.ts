/** The embed thread, with a text that kills it. */
import { parentPort } from "node:worker_threads";
import "../../../../src/engine/vector/embed/thread.ts";
import type { ToEmbedWorker } from "../../../../src/engine/vector/embed/host.ts";
import type { ToEmbedThread } from "../../../../src/engine/vector/embed/messages.ts";

parentPort!.on("message", (host: ToEmbedWorker) => {
  if (host.kind !== "serve") return;
  host.port.on("message", (message: ToEmbedThread) => {
    if (message.kind === "embed" && message.inputs.some(({ text }) => text === "crash")) throw new Error("crashed");
  });
});

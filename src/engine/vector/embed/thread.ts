/** The embed thread: holds connections to providers, models and recent queries for the whole process. */
import "../../../base/native/guard.ts";
import { parentPort, workerData } from "node:worker_threads";
import { AddressPolicy } from "../../../base/net/address-policy.ts";
import { Outgoing } from "../../../base/net/outgoing.ts";
import type { EmbedStart, ToEmbedWorker } from "./host.ts";
import { ModelDownload } from "./local/download.ts";
import { ModelHub } from "./local/hub.ts";
import { EmbedService } from "./service.ts";

const { allowedIpNetworks, cacheEntries, modelsDir, modelsDownload, variables } = workerData as EmbedStart;
const outgoing = new Outgoing(new AddressPolicy(allowedIpNetworks));
const operatorsOutgoing = new Outgoing(new AddressPolicy(["any"]));
const hub = new ModelHub(variables.hubUrl, operatorsOutgoing, outgoing);
const download = modelsDownload ? new ModelDownload(hub, (progress) => parentPort!.postMessage(progress)) : null;
const service = new EmbedService({ outgoing, operatorsOutgoing, modelsDir, download, ...variables }, cacheEntries);

parentPort!.on("message", (message: ToEmbedWorker) => {
  if (message.kind === "serve") service.serve(message.port);
  else if (message.kind === "stop") process.exit(0);
  else parentPort!.postMessage(null);
});

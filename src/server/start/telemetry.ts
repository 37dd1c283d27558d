/** Has usage data collected, unless that was switched off. */
import { statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing } from "../../base/net/outgoing.ts";
import type { Services } from "../front/services.ts";
import { Telemetry } from "../front/telemetry/telemetry.ts";
import { changedOptions, type Options } from "../options/options.ts";

export function startTelemetry(options: Options, version: string, services: Services): Telemetry | null {
  const { usage, log } = services;
  if (usage === null) return null;
  const disk = statfsSync(options.dbPath);
  const facts = {
    version,
    options: changedOptions(options),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    diskBytes: disk.blocks * disk.bsize,
  };
  const leads = (): boolean => services.cluster?.leads !== false;
  // Whoever sets the address runs the server, and may name any.
  const outgoing = new Outgoing(new AddressPolicy(["any"]));
  return new Telemetry({ url: options.telemetryUrl, facts, usage, outgoing, log, leads }, services);
}

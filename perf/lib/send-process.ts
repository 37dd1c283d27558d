/**
 * A plain sender, in a process of its own: reads a file of NDJSON whole, posts so many lines at a time, one request after the
 * other, and asks for the last task until it has ended. What it takes counts from the first byte sent.
 */
import { readFileSync } from "node:fs";
import { peakOf } from "./child.ts";
import { Client } from "./client.ts";
import { sendPayload } from "./fill.ts";

export interface SendPlan {
  url: string;
  key: string;
  uid: string;
  file: string;
  linesARequest: number;
}

export interface SendResult {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
}

const ASK_MS = 5;

async function send({ url, key, uid, file, linesARequest }: SendPlan): Promise<SendResult> {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const client = new Client(url, key);
  const before = process.cpuUsage();
  const begin = performance.now();
  let last = 0;
  for (let i = 0; i < lines.length; i += linesARequest) {
    last = await sendPayload(client, uid, `${lines.slice(i, i + linesARequest).join("\n")}\n`);
  }
  await client.wait(last, ASK_MS);
  const { user, system } = process.cpuUsage(before);
  client.close();
  return {
    seconds: (performance.now() - begin) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMb: peakOf("self"),
  };
}

process.once("message", async (plan: SendPlan) => {
  const result = await send(plan);
  process.send?.(result, () => process.disconnect());
});

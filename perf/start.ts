/**
 * Times the start of servers: wall clock and CPU from the start of the process to the first answer of `/health` with no data,
 * and to the first answer of a search with data. Servers take turns, so that a busy moment of the machine meets all of them,
 * and Node itself takes one, too: what it needs to do nothing is in every figure, and twice in that of a launcher with a child.
 *
 *   node --import tsx perf/start.ts [--runs N] [--data DIR --index UID[,UID…] [--query TEXT]] NAME 'COMMAND' [NAME 'COMMAND' …]
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Server } from "./lib/server.ts";
import { layOut, quantile, round } from "./lib/stats.ts";

interface Moment {
  wallMs: number;
  cpuMs: number;
}

const THIS_SERVER = "node dist/launch.js --http-addr 127.0.0.1:{port} --db-path {dir} --master-key {key}";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "10" },
    data: { type: "string" },
    index: { type: "string", default: "movies" },
    query: { type: "string", default: "star" },
  },
});
const words = positionals.length > 0 ? positionals : ["sabre", THIS_SERVER];
const commands = words.flatMap((name, i) => (i % 2 === 0 ? [{ name, command: words[i + 1] ?? "" }] : []));
const folder = mkdtempSync(path.join(os.tmpdir(), "perf-start-"));
const figures = new Map<string, Moment[][]>();
const nodeAloneMs: number[] = [];

function note(figure: string, server: number, moment: Moment): void {
  const ofServers = figures.get(figure) ?? commands.map(() => []);
  ofServers[server]!.push(moment);
  figures.set(figure, ofServers);
}

/** Starts a server, takes down when it first answered, and when it answered `search`, if there is one. */
async function run(number: number, label: string, dataPath: string, indexUid: string | null): Promise<void> {
  const { name, command } = commands[number]!;
  const server = new Server(name, command, dataPath);
  const beganAt = performance.now();
  const wallMs = await server.start();
  note(`${label} · health`, number, { wallMs, cpuMs: server.cpuSeconds() * 1000 });
  if (indexUid !== null) {
    const client = server.client();
    await client.json("POST", `/indexes/${indexUid}/search`, { q: values.query });
    note(`${label} · search ${indexUid}`, number, {
      wallMs: performance.now() - beganAt,
      cpuMs: server.cpuSeconds() * 1000,
    });
    client.close();
  }
  await server.dispose();
}

try {
  // Each on a copy of its own: a server of another version may upgrade what it opens.
  const copies = commands.map((_, i) => path.join(folder, `data-${i}`));
  if (values.data !== undefined) for (const copy of copies) cpSync(values.data, copy, { recursive: true });
  for (let i = 0; i < Number(values.runs); i++) {
    const beganAt = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    nodeAloneMs.push(performance.now() - beganAt);
    for (const number of commands.keys()) {
      const empty = path.join(folder, "empty");
      await run(number, "empty", empty, null);
      rmSync(empty, { recursive: true, force: true });
      if (values.data === undefined) continue;
      for (const uid of values.index.split(",")) await run(number, "data", copies[number]!, uid);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const rows = [...figures].map(([figure, ofServers]) => [
  figure,
  ...ofServers.flatMap((moments) => {
    const of = (pick: (moment: Moment) => number) => {
      const all = moments.map(pick);
      return `${round(quantile(all, 0.5), 0)} (${round(Math.min(...all), 0)})`;
    };
    return [of(({ wallMs }) => wallMs), of(({ cpuMs }) => cpuMs)];
  }),
]);
const heads = commands.flatMap(({ name }) => [`${name} ms`, `${name} CPU ms`]);
console.log(`Median (best) of ${values.runs} starts.`);
console.log(layOut(["from the start to", ...heads], rows, 1));
console.log(`Node alone: ${round(quantile(nodeAloneMs, 0.5), 0)} (${round(Math.min(...nodeAloneMs), 0)}) ms.`);

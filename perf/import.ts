/**
 * `sabre import` beside a plain sender that has the file in its memory and posts 100,000 lines at a time, by turns, each into a
 * server of its own; then once more with a server, and once with a client, that is killed on the way.
 *
 *   npm run perf:import -- [--data DIR] [--corpus entries] [--documents N] [--rounds 3] [--lines 100000]
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Child } from "./lib/child.ts";
import { corporaIn, syntheticCorpus } from "./lib/corpus.ts";
import { documentCount } from "./lib/fill.ts";
import { ownCommand } from "./lib/own-command.ts";
import type { SendPlan, SendResult } from "./lib/send-process.ts";
import { Server } from "./lib/server.ts";
import { layOut, quantile, round } from "./lib/stats.ts";

interface Run {
  seconds: number;
  serverCpuSeconds: number;
  clientCpuSeconds: number;
  clientPeakMb: number;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    corpus: { type: "string", default: "entries" },
    documents: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    lines: { type: "string", default: "100000" },
  },
});
const [corpus] =
  values.data === undefined ? [syntheticCorpus(Number(values.documents))] : corporaIn(values.data, [values.corpus]);
if (corpus === undefined) throw new Error(`no corpus ${values.corpus} in ${values.data}`);
const { uid, settings, documents, bytes } = corpus;
const folder = mkdtempSync(path.join(os.tmpdir(), "perf-import-"));
const file = path.join(folder, `${uid}.ndjson`);
writeFileSync(file, corpus.payloads.join(""));
corpus.payloads.length = 0;
const LAUNCH = fileURLToPath(new URL("../dist/launch.js", import.meta.url));
/** How much of the file has arrived when somebody is killed. */
const KILL_AT = 0.4;
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

function importing(server: Server): Child {
  const args = [LAUNCH, "import", file, "--index", uid, "--primary-key", "id"];
  return new Child(process.execPath, args, {
    SABRE_URL: server.url,
    SABRE_KEY: server.key,
    XDG_STATE_HOME: path.join(folder, "state"),
  });
}

function sending(plan: SendPlan): Promise<SendResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("./lib/send-process.ts", import.meta.url)));
    child.once("message", (result: SendResult) => resolve(result));
    child.once("exit", (code) => reject(new Error(`the sender ended with ${code}`)));
    child.send(plan);
  });
}

async function withServer<T>(work: (server: Server) => Promise<T>): Promise<T> {
  const server = new Server("import", ownCommand());
  await server.start();
  const client = server.client();
  try {
    const { taskUid } = await client.json<{ taskUid: number }>("PATCH", `/indexes/${uid}/settings`, settings);
    await client.wait(taskUid);
    const result = await work(server);
    const count = await documentCount(client, uid);
    if (count !== documents) throw new Error(`${count} documents of ${documents} are there`);
    return result;
  } finally {
    client.close();
    await server.dispose();
  }
}

const WAYS: Record<string, (server: Server) => Promise<Omit<Run, "serverCpuSeconds">>> = {
  async "plain sender"({ url, key }) {
    const plan = { url, key, uid, file, linesARequest: Number(values.lines) };
    const { seconds, cpuSeconds, peakMb } = await sending(plan);
    return { seconds, clientCpuSeconds: cpuSeconds, clientPeakMb: peakMb };
  },
  /** From the start of the program to its end. */
  async "sabre import"(server) {
    const { status, seconds, cpuSeconds, peakMb, text } = await importing(server).cost;
    if (status !== 0) throw new Error(text);
    return { seconds, clientCpuSeconds: cpuSeconds, clientPeakMb: peakMb };
  },
};

/** Resolves when so many requests of the import were taken. */
async function taken(server: Server, requests: number): Promise<void> {
  const client = server.client();
  for (;;) {
    const { total } = await client.json<{ total: number }>("GET", "/tasks?limit=0&types=documentAdditionOrUpdate");
    if (total >= requests) break;
    await new Promise((resume) => setTimeout(resume, 5));
  }
  client.close();
}

/** What the import said when it was through. */
async function interrupted(kill: (server: Server, child: Child) => Promise<Child>): Promise<string> {
  return await withServer(async (server) => {
    const child = importing(server);
    await taken(server, Math.ceil((bytes / 16e6) * KILL_AT));
    const { status, seconds, text } = await (await kill(server, child)).cost;
    if (status !== 0) throw new Error(text);
    return `${round(seconds, 1)} s\n${text}`;
  });
}

const runs = new Map<string, Run[]>(Object.keys(WAYS).map((way) => [way, []]));
try {
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [way, work] of Object.entries(WAYS)) {
      const run = await withServer(async (server) => {
        const cpuBefore = server.cpuSeconds();
        const cost = await work(server);
        return { ...cost, serverCpuSeconds: server.cpuSeconds() - cpuBefore };
      });
      runs.get(way)!.push(run);
      say(`${way}: ${JSON.stringify(run)}`);
    }
  }
  const killedServer = await interrupted(async (server, child) => {
    await server.kill();
    await server.start();
    return child;
  });
  say(
    `the server was killed after ${KILL_AT * 100} % and came back, all ${documents} documents are there: ${killedServer}`,
  );
  const killedClient = await interrupted(async (server, child) => {
    child.kill();
    await child.cost;
    return importing(server);
  });
  say(
    `the import was killed after ${KILL_AT * 100} % and called again, all ${documents} documents are there: ${killedClient}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const COLUMNS: [string, keyof Run][] = [
  ["seconds", "seconds"],
  ["server CPU s", "serverCpuSeconds"],
  ["client CPU s", "clientCpuSeconds"],
  ["client MB", "clientPeakMb"],
];
const rows = [...runs].map(([way, all]) => [
  way,
  ...COLUMNS.map(([, name]) => {
    const figures = all.map((run) => run[name]);
    return `${round(quantile(figures, 0.5))} (${round(Math.min(...figures))})`;
  }),
]);
const seconds = (way: string, of: (figures: number[]) => number): number =>
  of(runs.get(way)!.map((run) => run.seconds));
const ratio = (of: (figures: number[]) => number): number =>
  round(seconds("sabre import", of) / seconds("plain sender", of));
console.log(`${documents} documents, ${round(bytes / 1e6, 0)} MB. Median (best) of ${values.rounds}.`);
console.log(layOut(["", ...COLUMNS.map(([head]) => head)], rows, 1));
console.log(
  `wall time, import ÷ sender: ${ratio((all) => quantile(all, 0.5))} by medians, ${ratio((all) => Math.min(...all))} by the best`,
);

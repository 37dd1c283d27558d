/**
 * Hours in the life of a server, with everything that happens in them: searches of all kinds, writes, settings, bodies that
 * readers read, clients that hang up, and readers that die. In the end nothing may be missing, nothing may have failed but
 * what a dead reader held, and memory must stay what it was: that of the process itself, on average. Its height says less:
 * it is the moment when the collectors of many threads were late together. What the process reads files through grows with
 * the store, which keeps every task, and is the system's to take back.
 */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Dice } from "../fuzz/random.ts";
import { AS_INSTALLED, memoryOf, toldMemory } from "../lib/memory.ts";
import { TestServer } from "../lib/server.ts";
import { atLeast, atMost, type Claim } from "../lib/verdict.ts";

interface SoakReport {
  seconds: number;
  requests: number;
  refused: number;
  /** Connections that ended before the answer: a client that stood still with the machine is too slow, or idle too long. */
  cut: number;
  /** Because the reader that worked on them was killed. */
  lost: number;
  /** Of readers, as the server tells them: one that was to die and did not is none. */
  kills: number;
  faults: string[];
  documents: number;
  documentsExpected: number;
  /** Of its own, on average: in the first sixth of the time, in the first half of what follows, and in the second. */
  ownMbEarly: number;
  ownMbMiddle: number;
  ownMbLate: number;
  /** The most in each minute: of its own, and with the files it reads. */
  ownMbByMinute: number[];
  residentMbByMinute: number[];
}

interface SoakOptions {
  seconds: number;
  seed: number;
  lanes: number;
  killEveryMs: number;
}

const KILLER = fileURLToPath(new URL("reader-killer.cjs", import.meta.url));
const UIDS = ["left", "right"];
const IDS = 2000;
const SAMPLE_MS = 500;
/** Each lane begins something so often, and no sooner: as fast as it can, memory would tell what else the machine does. */
const PACE_MS = 40;
/** Shares of the time: caches fill, then it is watched in two halves. */
const EARLY = 1 / 6;
const MIDDLE = 7 / 12;
/** The second half may have so much more than the first: every task is a row of the table that lists of tasks are found in. */
const GROWTH_MAX = 1.05;
const FAULTS_MAX = 20;
const REQUESTS_A_KILL = 20;
const DIED = "the thread that worked on the request died";
const REPLACED = /a reader thread died and is replaced/g;

export async function soak(
  { seconds, seed, lanes, killEveryMs }: SoakOptions,
  say: (text: string) => void,
): Promise<SoakReport> {
  const server = await TestServer.start({ env: { ...AS_INSTALLED, NODE_OPTIONS: `--require ${KILLER}` } });
  const report: SoakReport = {
    seconds,
    requests: 0,
    refused: 0,
    cut: 0,
    lost: 0,
    kills: 0,
    faults: [],
    documents: 0,
    documentsExpected: 0,
    ownMbEarly: 0,
    ownMbMiddle: 0,
    ownMbLate: 0,
    ownMbByMinute: [],
    residentMbByMinute: [],
  };
  for (const uid of UIDS) {
    await server.write("PATCH", `/indexes/${uid}/settings`, { filterableAttributes: ["number"] });
  }
  const begun = performance.now();
  const share = (): number => (performance.now() - begun) / (seconds * 1000);
  const means = { ownMbEarly: new Mean(), ownMbMiddle: new Mean(), ownMbLate: new Mean() };
  const samples = setInterval(() => {
    if (server.ended !== null) return;
    const { ownMb, residentMb } = memoryOf(server.pid);
    const part = share() < EARLY ? "ownMbEarly" : share() < MIDDLE ? "ownMbMiddle" : "ownMbLate";
    report[part] = means[part].add(ownMb);
    const minute = Math.floor((performance.now() - begun) / 60_000);
    const note = (list: number[], mb: number): void => {
      list[minute] = Math.max(list[minute] ?? 0, Math.round(mb));
    };
    note(report.ownMbByMinute, ownMb);
    note(report.residentMbByMinute, residentMb);
  }, SAMPLE_MS);
  let requestsAtKill = 0;
  const kills = setInterval(() => {
    // Not before its successor has got to work.
    if (server.ended !== null || share() >= 1 || report.requests - requestsAtKill < REQUESTS_A_KILL) return;
    process.kill(server.pid, "SIGUSR2");
    requestsAtKill = report.requests;
  }, killEveryMs);
  const tells = setInterval(() => {
    if (server.ended === null) say(`${report.requests} requests, ${toldMemory(server.pid)}`);
  }, 30_000);
  /** Ids that were added and not deleted; each lane has its own, so that order is known. */
  const alive = new Map(UIDS.map((uid) => [uid, new Set<number>()]));
  try {
    const live = async (lane: number): Promise<void> => {
      const dice = new Dice(seed * 100 + lane);
      while (share() < 1 && report.faults.length < FAULTS_MAX) {
        const pace = pause(PACE_MS);
        await act(server, dice, lane, lanes, alive, report);
        await pace;
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => live(lane)));
  } finally {
    for (const timer of [samples, kills, tells]) clearInterval(timer);
  }
  try {
    for (const uid of UIDS) {
      await server.write("PATCH", `/indexes/${uid}/settings`, { stopWords: ["last"] });
      const { body } = await server.request<{ numberOfDocuments: number }>("GET", `/indexes/${uid}/stats`);
      report.documents += body.numberOfDocuments;
      report.documentsExpected += alive.get(uid)!.size;
    }
    report.kills = server.output.match(REPLACED)?.length ?? 0;
    return report;
  } finally {
    await server.dispose();
  }
}

/** With a reader goes what it works on, at most one request of each lane. */
export function soakVerdict(report: SoakReport, lanes: number): Claim[] {
  return [
    atMost("answers that should not have been", report.faults.length, 0),
    atMost("connections cut, as a share of requests", report.cut / report.requests, 0.001),
    atLeast("kills of readers", report.kills, 1),
    atMost("requests lost, a kill", report.lost / report.kills, lanes),
    atMost("documents missing or too many", Math.abs(report.documents - report.documentsExpected), 0),
    atMost("memory of its own late, as a share of before", report.ownMbLate / report.ownMbMiddle, GROWTH_MAX),
  ];
}

class Mean {
  #count = 0;
  #mean = 0;

  /** The mean of all so far. */
  add(value: number): number {
    this.#mean += (value - this.#mean) / ++this.#count;
    return this.#mean;
  }
}

/** One thing that a client does. */
async function act(
  server: TestServer,
  dice: Dice,
  lane: number,
  lanes: number,
  alive: Map<string, Set<number>>,
  report: SoakReport,
): Promise<void> {
  const uid = dice.of(UIDS);
  const own = (): number => dice.below(IDS / lanes) * lanes + lane;
  const ask = async (method: string, path: string, body?: unknown): Promise<number> => {
    report.requests++;
    const answer = await server.request(method, path, body).catch(() => {
      report.cut++;
      return server.request(method, path, body);
    });
    const told = JSON.stringify(answer.body);
    if (answer.status === 503) report.refused++;
    else if (answer.status === 500 && told.includes(DIED)) report.lost++;
    else if (answer.status >= 500) report.faults.push(`${method} ${path}: ${answer.status} ${told.slice(0, 300)}`);
    return answer.status;
  };
  const search = { q: dice.of(["word", "wrod 7", "number 3", "no", ""]), limit: dice.below(30), facets: ["number"] };
  switch (dice.below(10)) {
    case 0: {
      const ids = dice.times(20, own);
      const documents = ids.map((id) => ({ id, text: `word ${id} number ${dice.below(50)}`, number: dice.below(50) }));
      if ((await ask("POST", `/indexes/${uid}/documents`, documents)) === 202) {
        for (const id of ids) alive.get(uid)!.add(id);
      }
      break;
    }
    case 1: {
      const id = own();
      if ((await ask("DELETE", `/indexes/${uid}/documents/${id}`)) === 202) alive.get(uid)!.delete(id);
      break;
    }
    case 2:
      if (dice.chance(0.05)) await ask("PUT", `/indexes/${uid}/settings/stop-words`, [dice.of(["the", "a", "no"])]);
      break;
    case 3:
      await ask("POST", "/multi-search", { queries: UIDS.map((indexUid) => ({ indexUid, ...search })) });
      break;
    case 4:
      await ask("POST", `/indexes/${uid}/search`, `${JSON.stringify(search)}${" ".repeat(70_000)}`);
      break;
    case 5:
      await ask("POST", `/indexes/${uid}/documents/fetch`, { filter: `number = ${dice.below(50)}`, limit: 5 });
      break;
    case 6:
      await hangUp(server.base, uid);
      report.requests++;
      break;
    default:
      await ask("POST", `/indexes/${uid}/search`, { ...search, q: `${search.q} ${dice.below(1000)}` });
  }
}

/** Asks, and is gone before the answer is there. */
async function hangUp(base: string, uid: string): Promise<void> {
  const gone = new AbortController();
  const headers = { "content-type": "application/json" };
  const asked = fetch(`${base}/indexes/${uid}/search`, {
    method: "POST",
    headers,
    body: '{"q":"word"}',
    signal: gone.signal,
  }).catch(() => null);
  setImmediate(() => gone.abort());
  await asked;
}

/**
 * Sends made-up requests to a real server: whatever comes, it answers, never with a fault of its own; `/health` is heard all
 * the while, no thread dies, and the memory of the process itself stays as it is. So that this tells something, what is stored is
 * bounded: indexes are made anew and tasks are deleted now and then, and answers are kept in less room, which is soon full.
 * A failing request is told with what repeats it.
 */
import { ERRORS } from "../../src/base/errors/errors.ts";
import { HealthProbe, quantile } from "../lib/health-probe.ts";
import { AS_INSTALLED, type Memory, memoryOf, toldMemory } from "../lib/memory.ts";
import { type Answer, TestServer } from "../lib/server.ts";
import { atMost, type Claim } from "../lib/verdict.ts";
import { type Made, Requests } from "./generate.ts";
import { Lane } from "./lane.ts";
import { Dice } from "./random.ts";

export interface FuzzReport {
  seed: number;
  requests: number;
  byStatus: Record<string, number>;
  /** What should not have been answered, or not like that. */
  faults: string[];
  /** Of `/health`, asked from another thread, milliseconds: they depend on who else works on the machine. */
  healthAsked: number;
  healthP99: number;
  healthMax: number;
  healthAbove50Ms: number;
  /** The most that the front thread worked on other things while it was asked, and how often that was too much. */
  frontMsMax: number;
  stalls: number;
  /** Memory in each fifth of the requests, of its own: what half of the samples had at most, and the most. */
  ownMb: number[];
  ownMbMax: number[];
  /** The most with the files it reads. */
  residentMbMax: number[];
}

const LANES = 8;
const FAULTS_MAX = 20;
const FIFTHS = 5;
const REQUESTS_PER_SAMPLE = 100;
const REQUESTS_PER_STAGE = 2000;
/** As the server is started: a cache of the usual size would be filling for as long as a run of an hour. */
const ARGS = ["--http-payload-size-limit", "2MB", "--search-cache-size", "4MB"];
const STALL_MS = 50;
/**
 * The last fifth may have so much more than the one in the middle. Half of the samples say it, not the highest: that is how much garbage
 * four threads happened to have at the same moment, and differs by as much between two fifths of a run that does not grow.
 */
const GROWTH_MAX = 1.1;
/**
 * Until so many requests are answered, memory grows whatever the server does: heaps take the size that they keep, code is compiled, threads have
 * met everything once. It went from 142 MB to 345 in the first 100,000 and to 324 in the next. What comes before is not compared with what comes after.
 */
const WARM_REQUESTS = 100_000;
const FEATURES = [
  "containsFilter",
  "editDocumentsByFunction",
  "foreignKeys",
  "dynamicSearchRules",
  "multimodal",
  "compositeEmbedders",
  "renderRoute",
  "network",
  "getTaskDocumentsRoute",
];

/** `isOver`: whether to end before so many are sent, and tell what was seen so far. */
export async function fuzz(
  count: number,
  seed: number,
  say: (text: string) => void,
  isOver: () => boolean = () => false,
): Promise<FuzzReport> {
  const server = await TestServer.start({ args: ARGS, env: AS_INSTALLED });
  const probe = new HealthProbe(server.base, server.pid);
  try {
    await stage(server);
    const { body } = await server.request("GET", "/openapi.json");
    const requests = new Requests(body, new Dice(seed));
    const byStatus: Record<string, number> = {};
    const faults: string[] = [];
    let sent = 0;
    const samples: Memory[] = [];
    const drive = async (): Promise<void> => {
      const lane = new Lane(server.base);
      while (sent < count && faults.length < FAULTS_MAX && !isOver()) {
        const number = sent++;
        if (number % REQUESTS_PER_SAMPLE === 0) samples.push(memoryOf(server.pid));
        if (number % 10_000 === 0) say(`${number} requests, ${toldMemory(server.pid)}`);
        if (number > 0 && number % REQUESTS_PER_STAGE === 0) await stageAnew(server);
        const made = requests.next();
        const { status, text } = await lane.send(made);
        byStatus[status] = (byStatus[status] ?? 0) + 1;
        const fault = faultOf(status, text);
        if (fault !== null) faults.push(`${fault}: ${toldOf(made)} → ${status} ${text.slice(0, 300)}`);
      }
      lane.close();
    };
    await Promise.all(Array.from({ length: LANES }, drive));
    for (const line of server.output.split("\n")) {
      if (/died|unexpectedly|panic|Unhandled/i.test(line)) faults.push(line.slice(0, 500));
    }
    const health = await probe.stop();
    return {
      seed,
      requests: sent,
      byStatus,
      faults,
      healthAsked: health.answerMs.length,
      healthP99: quantile(health.answerMs, 0.99),
      healthMax: quantile(health.answerMs, 1),
      healthAbove50Ms: above(health.answerMs, STALL_MS),
      frontMsMax: quantile(health.frontMs, 1),
      stalls: above(health.frontMs, STALL_MS),
      ownMb: inFifths(samples, ({ ownMb }) => ownMb, 0.5),
      ownMbMax: inFifths(samples, ({ ownMb }) => ownMb, 1),
      residentMbMax: inFifths(samples, ({ residentMb }) => residentMb, 1),
    };
  } finally {
    await probe.stop();
    await server.dispose();
  }
}

/** Of memory nothing is claimed where the third fifth of a run was not warm yet. */
export function fuzzVerdict({ requests, faults, stalls, ownMb: [, , middle, , last] }: FuzzReport): Claim[] {
  const isWarm = (requests * 2) / FIFTHS >= WARM_REQUESTS;
  const growth = atMost("memory of its own in the last fifth, as a share of the third", last! / middle!, GROWTH_MAX);
  return [
    atMost("answers that should not have been", faults.length, 0),
    atMost(`times /health waited for ${STALL_MS} ms of other work`, stalls, 0),
    ...(isWarm ? [growth] : []),
  ];
}

/** What this share of the samples of each fifth has at most. */
function inFifths(samples: readonly Memory[], mb: (sample: Memory) => number, share: number): number[] {
  return Array.from({ length: FIFTHS }, (_, fifth) => {
    const [from, to] = [fifth, fifth + 1].map((edge) => Math.ceil((edge * samples.length) / FIFTHS));
    const ascending = samples
      .slice(from, to)
      .map(mb)
      .sort((a, b) => a - b);
    return Math.round(quantile(ascending, share));
  });
}

const above = (times: readonly number[], ms: number): number => times.filter((each) => each > ms).length;

interface Enqueued {
  taskUid: number;
}

/** Something to be found, filtered, sorted and edited. */
async function stage(server: TestServer): Promise<void> {
  await server.request("PATCH", "/experimental-features", Object.fromEntries(FEATURES.map((name) => [name, true])));
  const settings = {
    filterableAttributes: ["id", "title", "year", "tags", "nested.a", "_geo"],
    sortableAttributes: ["title", "year", "_geo"],
    embedders: { mine: { source: "userProvided", dimensions: 3 } },
  };
  const documents = Array.from({ length: 200 }, (_, id) => ({ id, title: `film ${id} of the sea`, year: 1900 + id }));
  const writes = ["films", "people"].flatMap((uid) => [
    () => server.request<Enqueued>("PATCH", `/indexes/${uid}/settings`, settings),
    () => server.request<Enqueued>("POST", `/indexes/${uid}/documents?primaryKey=id`, documents),
  ]);
  await allEnded(server, writes);
}

/** Nothing is left of what was made up, and what was done to the stage is undone. */
async function stageAnew(server: TestServer): Promise<void> {
  const { body } = await server.request<{ results: { uid: string }[] }>("GET", "/indexes?limit=1000");
  await allEnded(server, [
    // Embedders of made-up settings are nowhere: what waits for one, and behind it, would be waited for most of the time.
    () => server.request<Enqueued>("POST", "/tasks/cancel?statuses=enqueued,processing"),
    ...body.results.map(
      ({ uid }) =>
        () =>
          server.request<Enqueued>("DELETE", `/indexes/${encodeURIComponent(uid)}`),
    ),
    () => server.request<Enqueued>("DELETE", "/tasks?statuses=succeeded,failed,canceled"),
  ]);
  await stage(server);
}

/** Enqueues one after the other and only then waits: the requests of the other lanes are done in between, not before each of them. */
async function allEnded(server: TestServer, writes: (() => Promise<Answer<Enqueued>>)[]): Promise<void> {
  const tasks: number[] = [];
  for (const write of writes) {
    const { status, body } = await write();
    if (status !== 202 && status !== 200) throw new Error(`the stage is refused: ${status} ${JSON.stringify(body)}`);
    tasks.push(body.taskUid);
  }
  for (const uid of tasks) await server.waitTask(uid);
}

/** Null for what may be answered: anything but a fault of the server, errors in the form that all errors have. */
function faultOf(status: number, text: string): string | null {
  if (status === 0) return "no answer";
  if (status >= 500 && status !== 501 && status !== 503) return "a fault of the server";
  if (status < 400 || text === "") return null;
  try {
    const { message, code, type, link } = JSON.parse(text) as Record<string, unknown>;
    const known = typeof code === "string" && Object.hasOwn(ERRORS, code);
    return known && typeof message === "string" && typeof type === "string" && typeof link === "string"
      ? null
      : "an error without its form";
  } catch {
    return "an error that is no JSON";
  }
}

function toldOf({ method, path, type, body }: Made): string {
  return `${method} ${path} ${type ?? ""} ${body?.toString("latin1").trimEnd().slice(0, 2000) ?? ""}`;
}

/**
 * The process that asks: as fast as answers come (`closed`), or so many a second whether answers come
 * or not (`open`), or all connections at once and only once (`burst`).
 */
import { type Address, Connection, postBytes, type Reply } from "../../perf/lib/connection.ts";

export interface LoadOrder {
  base: string;
  queries: string[];
  kind: "closed" | "open" | "burst";
  connections: number;
  seconds: number;
  perSecond?: number;
}

export interface LoadReport {
  seconds: number;
  asked: number;
  answered: number;
  refused: number;
  failed: number;
}

const TICK_MS = 2;
/** Of waiting without any answer: counted in beats, for a machine may stop everything for a while. */
const SILENCE_S_MAX = 60;

async function run({ base, queries, kind, connections, seconds, perSecond = 0 }: LoadOrder): Promise<LoadReport> {
  const { hostname: host, port } = new URL(base);
  const address: Address = { host, port: Number(port) };
  const requests = queries.map((body) => postBytes(address, "x", "/multi-search", body));
  const report: LoadReport = { seconds: 0, asked: 0, answered: 0, refused: 0, failed: 0 };
  const idle: Connection[] = [];
  for (let i = 0; i < connections; i++) idle.push(await Connection.open(address));
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const underWay = new Set<Promise<void>>();
  watch(report, underWay);
  /** The server may have closed a connection that was not used for a while. */
  const ask = async (given: Connection): Promise<Connection> => {
    const request = requests[report.asked++ % requests.length]!;
    const connection = given.isOpen ? given : await Connection.open(address);
    count(report, await connection.ask(request).catch(() => null));
    return connection;
  };
  const begin = (lane: Promise<void>): void => {
    const ended = lane.then(() => {
      underWay.delete(ended);
    });
    underWay.add(ended);
  };
  if (kind === "open") {
    while (performance.now() < end) {
      const due = ((performance.now() - begun) / 1000) * perSecond;
      while (report.asked < due && idle.length > 0) begin(ask(idle.shift()!).then((free) => void idle.push(free)));
      await new Promise((resume) => setTimeout(resume, TICK_MS));
    }
  } else {
    const lane = async (first: Connection): Promise<void> => {
      let connection = await ask(first);
      while (kind === "closed" && performance.now() < end) connection = await ask(connection);
    };
    for (const connection of idle.splice(0)) begin(lane(connection));
    await Promise.all(underWay);
  }
  report.seconds = (performance.now() - begun) / 1000;
  // What comes late counts only if it fails.
  const inTime = { ...report };
  await Promise.all(underWay);
  return { ...inTime, failed: report.failed };
}

/** A process that waits for ever says nothing: this one ends. */
function watch(report: LoadReport, underWay: Set<unknown>): void {
  let heard = 0;
  let silence = 0;
  setInterval(() => {
    const now = report.answered + report.refused + report.failed;
    silence = now > heard || underWay.size === 0 ? 0 : silence + 1;
    heard = now;
    if (silence > SILENCE_S_MAX) throw new Error(`${underWay.size} requests got no answer in ${SILENCE_S_MAX} s`);
  }, 1000).unref();
}

function count(report: LoadReport, reply: Reply | null): void {
  if (reply?.status === 200) report.answered++;
  else if (reply?.status === 503 && isTold(reply)) report.refused++;
  else report.failed++;
}

/** Refused with word of when to come back. */
function isTold({ head, body }: Reply): boolean {
  return body.includes("too_many_search_requests") && /\r\nretry-after: *\d+/i.test(head);
}

process.once("message", async (order: LoadOrder) => {
  process.send!(await run(order), () => process.exit(0));
});

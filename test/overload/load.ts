/**
 * The process that asks: as fast as answers come (`closed`), so many times more a second than it gets answers
 * (`open`), or all connections at once and only once (`burst`).
 */
import { type Address, Connection, postBytes, type Reply } from "../../perf/lib/connection.ts";

export interface LoadOrder {
  base: string;
  queries: string[];
  kind: "closed" | "open" | "burst";
  connections: number;
  seconds: number;
  /** Of an open load: how many answers a second it takes for possible at least, and how many times more it asks for. */
  perSecond?: number;
  times?: number;
}

export interface LoadReport {
  seconds: number;
  asked: number;
  answered: number;
  refused: number;
  failed: number;
  /** Those that were under way when the time was over. */
  answeredLate: number;
}

const TICK_MS = 2;
/** What was not asked while the machine stood still is not asked at once afterwards. */
const TICK_MS_MAX = 100;
/** Capacity is what was answered in this time: neighbours on the machine change it. */
const CAPACITY_MS = 1000;
/** Of waiting without any answer: counted in beats, for a machine may stop everything for a while. */
const SILENCE_S_MAX = 60;

async function run(order: LoadOrder): Promise<LoadReport> {
  const { base, queries, kind, connections, seconds, perSecond = 0, times = 1 } = order;
  const { hostname: host, port } = new URL(base);
  const address: Address = { host, port: Number(port) };
  const requests = queries.map((body) => postBytes(address, "x", "/multi-search", body));
  const report: LoadReport = { seconds: 0, asked: 0, answered: 0, refused: 0, failed: 0, answeredLate: 0 };
  const idle: Connection[] = [];
  for (let i = 0; i < connections; i++) idle.push(await Connection.open(address));
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const underWay = new Set<Promise<void>>();
  watch(report, underWay);
  /** A connection that was not used for a while may be closed by the server, even as it is asked: then another one is opened. */
  const ask = async (given: Connection): Promise<Connection> => {
    const request = requests[report.asked++ % requests.length]!;
    let connection = given;
    let reply = given.isOpen ? await given.ask(request).catch(() => null) : null;
    if (reply === null) {
      connection = await Connection.open(address);
      reply = await connection.ask(request).catch(() => null);
    }
    count(report, reply);
    return connection;
  };
  const begin = (lane: Promise<void>): void => {
    const ended = lane.then(() => {
      underWay.delete(ended);
    });
    underWay.add(ended);
  };
  if (kind === "open") {
    const capacity = new Capacity(perSecond);
    let due = 0;
    let ticked = begun;
    for (let now = begun; now < end; now = performance.now()) {
      due += (Math.min(now - ticked, TICK_MS_MAX) / 1000) * times * capacity.at(now, report.answered);
      ticked = now;
      for (; due >= 1 && idle.length > 0; due--) begin(ask(idle.shift()!).then((free) => void idle.push(free)));
      // Where all connections wait already, more is not asked: there are twice as many as may wait.
      due = Math.min(due, 1);
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
  const { answered, refused } = report;
  await Promise.all(underWay);
  return { ...report, answered, refused, answeredLate: report.answered - answered };
}

/** How many answers a second come now. */
class Capacity {
  readonly #least: number;
  #since = performance.now();
  #answered = 0;
  #perSecond: number;

  constructor(least: number) {
    this.#least = least;
    this.#perSecond = least;
  }

  at(now: number, answered: number): number {
    if (now - this.#since >= CAPACITY_MS) {
      this.#perSecond = Math.max(this.#least, ((answered - this.#answered) * 1000) / (now - this.#since));
      this.#since = now;
      this.#answered = answered;
    }
    return this.#perSecond;
  }
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

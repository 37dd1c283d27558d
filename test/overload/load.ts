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
  healthMs: number[];
}

const HEALTH_EVERY_MS = 5;
const TICK_MS = 2;

async function run({ base, queries, kind, connections, seconds, perSecond = 0 }: LoadOrder): Promise<LoadReport> {
  const { hostname: host, port } = new URL(base);
  const address: Address = { host, port: Number(port) };
  const requests = queries.map((body) => postBytes(address, "x", "/multi-search", body));
  const health = Buffer.from(`GET /health HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const report: LoadReport = { seconds: 0, asked: 0, answered: 0, refused: 0, failed: 0, healthMs: [] };
  const idle: Connection[] = [];
  for (let i = 0; i < connections; i++) idle.push(await Connection.open(address));
  const begun = performance.now();
  let end = begun + seconds * 1000;
  let under = 0;
  const ask = async (connection: Connection): Promise<void> => {
    under++;
    try {
      count(report, await connection.ask(requests[report.asked++ % requests.length]!));
      idle.push(connection);
    } catch {
      report.failed++;
    } finally {
      under--;
    }
  };
  const probe = probeHealth(await Connection.open(address), health, () => end, report.healthMs);
  if (kind === "closed") {
    await Promise.all(
      idle.splice(0).map(async (connection) => {
        while (performance.now() < end) {
          await ask(connection);
          idle.pop();
        }
      }),
    );
  } else if (kind === "burst") {
    await Promise.all(idle.splice(0).map(ask));
    end = 0;
  } else {
    let due = 0;
    while (performance.now() < end) {
      due = ((performance.now() - begun) / 1000) * perSecond;
      while (report.asked < due && idle.length > 0) void ask(idle.pop()!);
      await new Promise((resume) => setTimeout(resume, TICK_MS));
    }
  }
  report.seconds = (performance.now() - begun) / 1000;
  const answered = { ...report };
  await probe;
  while (under > 0) await new Promise((resume) => setTimeout(resume, 10));
  return { ...answered, failed: report.failed };
}

function count(report: LoadReport, { status, head, body }: Reply): void {
  const isTold = body.includes("too_many_search_requests") && /\r\nretry-after: *\d+/i.test(head);
  if (status === 200) report.answered++;
  else if (status === 503 && isTold) report.refused++;
  else report.failed++;
}

async function probeHealth(connection: Connection, request: Buffer, end: () => number, into: number[]): Promise<void> {
  while (performance.now() < end()) {
    const from = performance.now();
    await connection.ask(request);
    into.push(performance.now() - from);
    await new Promise((resume) => setTimeout(resume, HEALTH_EVERY_MS));
  }
  connection.close();
}

process.once("message", async (order: LoadOrder) => {
  process.send!(await run(order), () => process.exit(0));
});

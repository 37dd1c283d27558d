/** What every server of a cluster says of itself, for whoever finds out why a test waits in vain. */
import type { TestServer } from "../lib/server.ts";

const LOG_CHARACTERS = 6000;
const ASKED = [
  "/health",
  "/network",
  "/tasks?statuses=enqueued,processing&limit=3",
  "/tasks?limit=1",
  "/batches?limit=1",
];

/** Runs it; when it fails, the servers are asked before that is told. */
export async function withDiagnosis(servers: readonly TestServer[], run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (problem) {
    for (const server of servers) console.log(await diagnosisOf(server));
    throw problem;
  }
}

async function diagnosisOf(server: TestServer): Promise<string> {
  const answer = async (url: string): Promise<string> => {
    const { status, body } = await server.request("GET", url).catch((problem: Error) => ({
      status: 0,
      body: problem.message,
    }));
    return `${url}: ${status} ${JSON.stringify(body)}`;
  };
  const metrics = await server.request<string>("GET", "/metrics").catch(() => ({ body: "" }));
  const cluster = String(metrics.body).match(/^sabre_cluster_.*$/gm) ?? [];
  const answers = await Promise.all(ASKED.map(answer));
  return [`--- process ${server.pid}`, ...answers, ...cluster, server.output.slice(-LOG_CHARACTERS)].join("\n");
}

/** Puts a corpus into a server: settings first, then every payload, until the last task is `succeeded`. */
import type { Client } from "./client.ts";
import type { Corpus } from "./corpus.ts";
import type { PhaseContext } from "./phase.ts";

/** Answers the seconds from the first byte of the documents to the end of the last task. */
export async function fill(client: Client, corpus: Corpus, say: PhaseContext["say"]): Promise<number> {
  const { uid, payloads, documents } = corpus;
  const settings = await client.json<{ taskUid: number }>("PATCH", `/indexes/${uid}/settings`, corpus.settings);
  await client.wait(settings.taskUid);
  const begin = performance.now();
  let last = 0;
  for (const [i, payload] of payloads.entries()) {
    last = await sendPayload(client, uid, payload);
    say(`${uid}: payload ${i + 1} of ${payloads.length} accepted`);
  }
  await client.wait(last);
  const seconds = (performance.now() - begin) / 1000;
  const count = await documentCount(client, uid);
  if (count !== documents) throw new Error(`${uid} holds ${count} documents`);
  return seconds;
}

/** Fills what no earlier phase has filled, then waits until the server is at rest. */
export async function ensureFilled({
  server,
  corpora,
  say,
}: Pick<PhaseContext, "server" | "corpora" | "say">): Promise<void> {
  const client = server.client();
  for (const corpus of corpora) {
    if ((await documentCount(client, corpus.uid)) < corpus.documents) await fill(client, corpus, say);
  }
  client.close();
  await server.settle();
}

/** Answers the task that will add the documents. */
export async function sendPayload(client: Client, uid: string, payload: string): Promise<number> {
  const answer = await client.request(
    "POST",
    `/indexes/${uid}/documents?primaryKey=id`,
    payload,
    "application/x-ndjson",
  );
  if (answer.status !== 202) throw new Error(`${uid}: ${answer.status} ${answer.body}`);
  return (JSON.parse(answer.body.toString()) as { taskUid: number }).taskUid;
}

export async function documentCount(client: Client, uid: string): Promise<number> {
  const answer = await client.request("GET", `/indexes/${uid}/stats`);
  if (answer.status !== 200) return 0;
  return (JSON.parse(answer.body.toString()) as { numberOfDocuments: number }).numberOfDocuments;
}

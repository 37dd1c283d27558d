/** Searches in one index when nothing else happens, and while another index takes documents as fast as it can. */
import type { Client } from "../lib/client.ts";
import type { Corpus } from "../lib/corpus.ts";
import { sendPayload } from "../lib/fill.ts";
import { load } from "../lib/load.ts";
import { withPlace } from "../lib/numbered.ts";
import type { Phase } from "../lib/phase.ts";
import { allWords, querySet } from "../lib/queries.ts";

const CONNECTIONS = 4;
const WRITTEN_INDEX = "perf-written";
/** Payloads on their way at once: the writer always has the next one, and the queue stays short. */
const PAYLOADS_AHEAD = 2;

export const searchUnderWrites: Phase = async ({ server, corpora, largest, seconds, report, say }) => {
  const searched = corpora[0]!;
  const run = () =>
    load({
      address: server.address,
      key: server.key,
      requests: allWords(querySet(searched).words).map((q) => ({
        path: `/indexes/${searched.uid}/search`,
        body: JSON.stringify(withPlace({ q })),
      })),
      connections: CONNECTIONS,
      until: { seconds },
    });
  await run();
  const idle = await run();
  say(`the same searches while ${largest.uid} is indexed again`);
  const client = server.client();
  const writing = await Writing.start(client, largest);
  const busy = await run();
  const documentsPerSecond = await writing.stop();
  const name = (text: string) => `${searched.uid}, ${CONNECTIONS} connections, ${text}`;
  report("search under writes", name("p99 idle"), "ms", idle.p99Ms, "less");
  report("search under writes", name("p99 while indexing"), "ms", busy.p99Ms, "less");
  report("search under writes", name("p99 while indexing ÷ idle"), "×", busy.p99Ms / idle.p99Ms, "less");
  report("search under writes", name("idle"), "requests/s", idle.answers / idle.seconds, "more");
  report("search under writes", name("while indexing"), "requests/s", busy.answers / busy.seconds, "more");
  report("search under writes", "indexed meanwhile", "documents/s", documentsPerSecond, "more");
  await client.wait((await client.json<{ taskUid: number }>("DELETE", `/indexes/${WRITTEN_INDEX}`)).taskUid);
  client.close();
};

/** Sends the payloads of a corpus round and round into an index of its own, until it is told to stop. */
class Writing {
  readonly #client: Client;
  readonly #corpus: Corpus;
  readonly #work: Promise<void>;
  readonly #startedAt = performance.now();
  #stopping = false;
  #payloads = 0;

  private constructor(client: Client, corpus: Corpus) {
    this.#client = client;
    this.#corpus = corpus;
    this.#work = this.#run();
  }

  static async start(client: Client, corpus: Corpus): Promise<Writing> {
    const path = `/indexes/${WRITTEN_INDEX}/settings`;
    await client.wait((await client.json<{ taskUid: number }>("PATCH", path, corpus.settings)).taskUid);
    return new Writing(client, corpus);
  }

  /** Waits for what was sent; answers documents a second from the start until then. */
  async stop(): Promise<number> {
    this.#stopping = true;
    await this.#work;
    const documents = (this.#payloads * this.#corpus.documents) / this.#corpus.payloads.length;
    return documents / ((performance.now() - this.#startedAt) / 1000);
  }

  async #run(): Promise<void> {
    const { payloads } = this.#corpus;
    const underWay: Promise<void>[] = [];
    while (!this.#stopping) {
      underWay.push(this.#send(payloads[this.#payloads++ % payloads.length]!));
      if (underWay.length >= PAYLOADS_AHEAD) await underWay.shift();
    }
    await Promise.all(underWay);
  }

  async #send(payload: string): Promise<void> {
    await this.#client.wait(await sendPayload(this.#client, WRITTEN_INDEX, payload), 10);
  }
}

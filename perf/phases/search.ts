/**
 * How long a search takes on one connection, right after a start and warm, and how many are answered a second over many
 * connections. The answers go over the wire as they are, uncompressed; what a client does with them is not measured.
 */
import { Connection, postBytes } from "../lib/connection.ts";
import type { Corpus } from "../lib/corpus.ts";
import { derivedQueries } from "../lib/derived-queries.ts";
import { generatorName, load } from "../lib/load.ts";
import { numbered, takeNumbers, withPlace } from "../lib/numbered.ts";
import type { Phase, PhaseContext } from "../lib/phase.ts";
import { allWords, QUERY_CLASSES, querySet, type SearchBody, titlesOf } from "../lib/queries.ts";
import { shuffled } from "../lib/random.ts";
import { quantile } from "../lib/stats.ts";

const ROUNDS = 8;
const CONNECTIONS = 32;
/** Queries whose words were not asked before: a server cannot remember anything about them. */
const NEW_PER_CLASS = 100;
const NEW_TITLES = 20_000;
/** Latency is measured over one connection, which leaves some of the readers cold. */
const WARM_UP_SECONDS = 2;

interface Timed {
  body: SearchBody;
  /** What the query is an example of. */
  kind: string;
  coldMs: number;
  warmMs: number[];
  /** Of exactly the same request, sent before: what a server that keeps answers makes of it. */
  againMs: number[];
}

export const search: Phase = async (context) => {
  context.say(`load generator: ${generatorName()}`);
  for (const corpus of context.corpora) {
    await latency(corpus, context);
    await throughput(corpus, context);
  }
};

async function latency(corpus: Corpus, { server, givenQueries, report, detail, say }: PhaseContext): Promise<void> {
  const queries = querySet(corpus);
  const own: Timed[] = [
    ...QUERY_CLASSES.flatMap((kind) => queries.words[kind].map((q) => timed(kind, { q }))),
    ...queries.options.map((body) => timed("filters, facets, formatting", body)),
    ...queries.titles.slice(0, 10).map((q) => timed("title", { q })),
  ];
  const given = (givenQueries[corpus.uid] ?? []).map((body) => timed("given", body));
  if (server.ownsProcess) {
    await server.stop();
    await server.start();
  }
  const connection = await Connection.open(server.address);
  const ask = async (body: SearchBody): Promise<number> => {
    const path = `/indexes/${corpus.uid}/search`;
    const request = postBytes(server.address, server.key, path, numbered(JSON.stringify(body), takeNumbers(1)));
    const begin = performance.now();
    const reply = await connection.ask(request);
    const ms = performance.now() - begin;
    if (reply.status !== 200) throw new Error(`${JSON.stringify(body)}: ${reply.status} ${reply.body}`);
    return ms;
  };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const query of [...own, ...given]) {
      const ms = await ask(withPlace(query.body));
      if (round === 0) query.coldMs = ms;
      else query.warmMs.push(ms);
    }
  }
  const newMs: number[] = [];
  for (const q of shuffled(allWords(derivedQueries(corpus, NEW_PER_CLASS)))) newMs.push(await ask({ q }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { body, againMs } of own) {
      const ms = await ask(body);
      if (round > 0) againMs.push(ms);
    }
  }
  connection.close();

  const cold = own.map(({ coldMs }) => coldMs);
  const warm = own.flatMap(({ warmMs }) => warmMs);
  const again = own.flatMap(({ againMs }) => againMs);
  const name = (text: string) => `${corpus.uid}, one connection, ${text}`;
  report("search", name("first pass after a start, p50"), "ms", quantile(cold, 0.5), "less");
  report("search", name("first pass after a start, p95"), "ms", quantile(cold, 0.95), "less");
  report("search", name("p50"), "ms", quantile(warm, 0.5), "less");
  report("search", name("p95"), "ms", quantile(warm, 0.95), "less");
  report("search", name("each query once, p50"), "ms", quantile(newMs, 0.5), "less");
  report("search", name("each query once, p95"), "ms", quantile(newMs, 0.95), "less");
  report("search", name("the very same requests, p50"), "ms", quantile(again, 0.5), "less");
  if (given.length > 0) {
    const times = given.flatMap(({ warmMs }) => warmMs);
    report("search", name("given queries, p50"), "ms", quantile(times, 0.5), "less");
    report("search", name("given queries, p95"), "ms", quantile(times, 0.95), "less");
  }
  for (const kind of new Set(own.map((query) => query.kind))) {
    const times = own.filter((query) => query.kind === kind).flatMap(({ warmMs }) => warmMs);
    detail("search", name(`${kind}, p50`), "ms", quantile(times, 0.5), "less");
  }
  for (const { body, warmMs } of [...own, ...given]) {
    detail("search", `${corpus.uid} ${JSON.stringify(body)}`, "ms", quantile(warmMs, 0.5), "less");
  }
  say(`${corpus.uid}: ${own.length + given.length} queries timed`);
}

async function throughput(corpus: Corpus, context: PhaseContext): Promise<void> {
  const { server, seconds, givenQueries, report, detail } = context;
  const { words, options, titles } = querySet(corpus);
  const plain: SearchBody[] = allWords(words).map((q) => ({ q }));
  const kinds: Record<string, SearchBody[]> = {
    plain: plain.map(withPlace),
    "with filters, facets, formatting": [...plain, ...options].map(withPlace),
    titles: titles.map((q) => withPlace({ q })),
    [`${NEW_TITLES} different titles`]: titlesOf(corpus, NEW_TITLES).map((q) => withPlace({ q })),
    given: (givenQueries[corpus.uid] ?? []).map(withPlace),
    "plain, the very same requests": plain,
  };
  const path = `/indexes/${corpus.uid}/search`;
  const run = (bodies: SearchBody[], runSeconds: number) =>
    load({
      address: server.address,
      key: server.key,
      requests: bodies.map((body) => ({ path, body: JSON.stringify(body) })),
      connections: CONNECTIONS,
      until: { seconds: runSeconds },
    });
  await run([...plain, ...options].map(withPlace), WARM_UP_SECONDS);
  for (const [kind, bodies] of Object.entries(kinds)) {
    if (bodies.length === 0) continue;
    const cpuBefore = server.cpuSeconds();
    const { answers, p99Ms, ...spent } = await run(bodies, seconds);
    const cpuMs = (server.cpuSeconds() - cpuBefore) * 1000;
    const name = (text: string) => `${corpus.uid}, ${CONNECTIONS} connections, ${kind}${text}`;
    report("search", name(""), "requests/s", answers / spent.seconds, "more");
    if (server.ownsProcess) report("search", name(", CPU"), "ms/request", cpuMs / answers, "less");
    detail("search", name(", p99"), "ms", p99Ms, "less");
  }
}

function timed(kind: string, body: SearchBody): Timed {
  return { kind, body, coldMs: 0, warmMs: [], againMs: [] };
}

/**
 * Three servers that meet at three NATS servers, all on this machine, beside one on its own: what an acknowledgement costs, how soon
 * a document is found elsewhere, what is noticed of a kill, how long a server takes to join. Needs nats-server.
 *
 *   npm run perf:cluster -- [--data DIR] [--rounds 3] [--seconds 5] [--warm 20] [--rows answers,found,kills,reads,join]
 */
import { parseArgs } from "node:util";
import { MeasuredCluster } from "./lib/cluster.ts";
import { corporaIn, syntheticCorpus } from "./lib/corpus.ts";
import { fill } from "./lib/fill.ts";
import { gapsWhile } from "./lib/gaps.ts";
import { appendsAlone } from "./lib/journal-alone.ts";
import { type LoadResult, load } from "./lib/load.ts";
import { NUMBER_PLACE } from "./lib/numbered.ts";
import { ownCommand } from "./lib/own-command.ts";
import { Server } from "./lib/server.ts";
import { layOut, quantile, round } from "./lib/stats.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    warm: { type: "string", default: "20" },
    rows: { type: "string", default: "answers,found,kills,reads,join" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
/** Code that takes tasks is compiled anew for a hundred thousand of them, on the processors that take them. */
const warmSeconds = Number(values.warm);
const wanted = new Set(values.rows.split(","));
const CONNECTIONS = 64;
const FOUND = 150;
const rows: string[][] = [];
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const row = (name: string, value: number, unit: string, reach = ""): void => {
  rows.push([name, `${round(value, 1)}`, unit, reach]);
  say(`${name}: ${round(value, 1)} ${unit}`);
};

const enqueueAt = ({ address, key }: Server, connections: number, forSeconds = seconds): Promise<LoadResult> => {
  const body = `[{"id":"${NUMBER_PLACE}","text":"a small document"}]`;
  return load({
    ...{ address, key, connections },
    requests: [{ path: "/indexes/answers/documents", body }],
    until: { seconds: forSeconds },
  });
};

async function drained(server: Server): Promise<void> {
  const client = server.client();
  for (;;) {
    // One that is behind for a moment, on a machine that does too much at once, answers later.
    const { status, body } = await client.request("GET", "/tasks?statuses=enqueued,processing&limit=1");
    if (status === 200 && (JSON.parse(`${body}`) as { total: number }).total === 0) break;
    await new Promise((resume) => setTimeout(resume, 50));
  }
  client.close();
}

interface Costs {
  answers: number;
  /** Microseconds of CPU for each, until all have run: of the whole server, and of the thread that takes requests. */
  cpu: number;
  front: number;
}

async function costsAt(server: Server): Promise<Costs> {
  const before = { cpu: server.cpuSeconds(), front: server.frontSeconds() };
  const { answers } = await enqueueAt(server, CONNECTIONS);
  await drained(server);
  const of = (now: number, then: number): number => ((now - then) * 1e6) / answers;
  return { answers, cpu: of(server.cpuSeconds(), before.cpu), front: of(server.frontSeconds(), before.front) };
}

/** Alternating, since the machine is not the same from one minute to the next; the best of the rounds counts. */
async function answers(single: Server, cluster: MeasuredCluster): Promise<void> {
  const [leader, follower, third] = await cluster.inOrder();
  const p50s = new Map<Server, number[]>();
  const rates: Record<"single" | "leader" | "all" | "alone", number[]> = { single: [], leader: [], all: [], alone: [] };
  const costs: Record<"single" | "leader", Costs[]> = { single: [], leader: [] };
  for (const server of [single, leader]) {
    await enqueueAt(server, CONNECTIONS, warmSeconds);
    await drained(server);
  }
  for (let i = 0; i < rounds; i++) {
    for (const server of [single, leader, follower]) {
      p50s.set(server, [...(p50s.get(server) ?? []), (await enqueueAt(server, 1)).p50Ms]);
      await drained(server);
    }
    const own = await costsAt(single);
    rates.single.push(own.answers / seconds);
    costs.single.push(own);
    const before = await cluster.records();
    const taken = await costsAt(leader);
    const after = await cluster.records();
    rates.leader.push(taken.answers / seconds);
    costs.leader.push(taken);
    const records = after.count - before.count;
    const bytes = Math.round((after.bytes - before.bytes) / records);
    const tasks = taken.answers / records;
    say(`records of ${round(tasks, 1)} tasks, ${bytes} bytes each`);
    rates.alone.push(tasks * (await appendsAlone(cluster.nats.address("alone"), bytes, seconds)));
    const parts = await Promise.all(
      [leader, follower, third].map((server, place) => enqueueAt(server, Math.floor((CONNECTIONS + place) / 3))),
    );
    rates.all.push(parts.reduce((sum, part) => sum + part.answers / seconds, 0));
    await drained(leader);
  }
  const best = (server: Server): number => Math.min(...p50s.get(server)!);
  row("202 on its own, p50", best(single), "ms");
  row("202 of the one that leads, p50", best(leader), "ms");
  row("the same, more than on its own", best(leader) - best(single), "ms", "≤ 3");
  row("202 of one that follows, p50", best(follower), "ms");
  row("the same, more than on its own", best(follower) - best(single), "ms", "≤ 3");
  row(`tasks taken, ${CONNECTIONS} connections, on its own`, Math.max(...rates.single), "a second");
  row(`the same, by the one that leads`, Math.max(...rates.leader), "a second", "≥ 10000");
  row(`the same records, NATS alone`, Math.max(...rates.alone), "a second");
  row(`share of that`, (100 * Math.max(...rates.leader)) / Math.max(...rates.alone), "%");
  row(`the same, by all three`, Math.max(...rates.all), "a second", "≥ 10000");
  for (const [name, of] of Object.entries({ "on its own": costs.single, "of the one that leads": costs.leader })) {
    row(`CPU of a task ${name}`, Math.min(...of.map(({ cpu }) => cpu)), "µs");
    row(`the same, of its front alone`, Math.min(...of.map(({ front }) => front)), "µs");
  }
}

/** Sent on one server, asked for on the next until it is there. */
async function found(cluster: MeasuredCluster): Promise<void> {
  const clients = cluster.nodes.map((node) => node.client());
  const times: number[] = [];
  for (let i = 0; i < FOUND; i++) {
    const [sends, searches] = [clients[i % 3]!, clients[(i + 1) % 3]!];
    const begin = performance.now();
    const sent = await sends.request("POST", "/indexes/found/documents", JSON.stringify([{ id: i, text: `word${i}` }]));
    if (sent.status !== 202) throw new Error(`${sent.status} ${sent.body}`);
    for (;;) {
      const { status, body } = await searches.request(
        "POST",
        "/indexes/found/search",
        JSON.stringify({ q: `word${i}` }),
      );
      if (status === 200 && (JSON.parse(`${body}`) as { hits: unknown[] }).hits.length > 0) break;
    }
    times.push(performance.now() - begin);
  }
  for (const client of clients) client.close();
  row("one document, sent to found on another, p50", quantile(times, 0.5), "ms", "≤ 30");
  row("the same, p95", quantile(times, 0.95), "ms");
}

async function kills(cluster: MeasuredCluster): Promise<void> {
  const [first] = await cluster.inOrder();
  const client = first.client();
  await client.wait((await client.json<{ taskUid: number }>("POST", "/indexes", { uid: "gaps" })).taskUid);
  client.close();
  const tell = (what: string, { writes, reads }: Awaited<ReturnType<typeof gapsWhile>>): void => {
    row(`${what}: longest gap in writes`, writes.longestMs / 1000, "s", "≤ 8");
    row(`${what}: longest gap in searches elsewhere`, reads.longestMs / 1000, "s", "none");
    row(`${what}: searches refused elsewhere`, reads.refused, "", "none");
  };
  for (let i = 0; i < rounds; i++) {
    const [leader, ...others] = await cluster.inOrder();
    tell("the leader is killed", await gapsWhile(others, () => leader.kill()));
    await leader.start();
    await cluster.inOrder();
    const place = await cluster.natsLeader();
    tell("the NATS server that leads is killed", await gapsWhile(cluster.nodes, () => cluster.nats.kill(place)));
    cluster.nats.run(place);
    await cluster.nats.ready();
  }
}

/**
 * What a search costs where it is one of three, against one on its own. Three that are asked at once take processors and caches
 * from each other, whether they know of each other or not: what that makes is shown beside it.
 */
async function reads(single: Server, cluster: MeasuredCluster): Promise<void> {
  const corpus = syntheticCorpus(20_000);
  const strangers = ["second", "third"].map((name) => new Server(name, `${ownCommand()} --readers 1`));
  for (const stranger of strangers) await stranger.start();
  const apart = [single, ...strangers];
  for (const server of [...apart, cluster.nodes[0]!]) {
    const client = server.client();
    await fill(client, corpus, say);
    client.close();
  }
  const ask = ({ address, key }: Server): Promise<LoadResult> => {
    const body = JSON.stringify({ q: "a", cropMarker: NUMBER_PLACE, attributesToCrop: ["body"] });
    const requests = [{ path: `/indexes/${corpus.uid}/search`, body }];
    return load({ address, key, requests, connections: 8, until: { seconds } });
  };
  const costs = async (servers: readonly Server[]): Promise<{ rate: number; cpu: number }> => {
    const before = servers.reduce((sum, server) => sum + server.cpuSeconds(), 0);
    const results = await Promise.all(servers.map(ask));
    const count = results.reduce((sum, result) => sum + result.answers, 0);
    const cpu = servers.reduce((sum, server) => sum + server.cpuSeconds(), 0) - before;
    return { rate: count / seconds, cpu: (cpu * 1e6) / count };
  };
  await Promise.all([...apart, ...cluster.nodes].map((server) => server.settle()));
  const [, follower] = await cluster.inOrder();
  const asked = { one: [single], follower: [follower], apart, together: cluster.nodes };
  const seen = Object.fromEntries(Object.keys(asked).map((name) => [name, [] as { rate: number; cpu: number }[]]));
  for (let i = 0; i < rounds; i++) {
    for (const [name, servers] of Object.entries(asked)) seen[name]!.push(await costs(servers));
  }
  const least = (name: keyof typeof asked): number => Math.min(...seen[name]!.map(({ cpu }) => cpu));
  const most = (name: keyof typeof asked): number => Math.max(...seen[name]!.map(({ rate }) => rate));
  const reach = "≥ 2.5 where cores allow";
  row("searches of three against one, each with one reader", most("together") / most("one"), "×", reach);
  row("CPU of a search on one of three against one", least("together") / least("one"), "×", "≤ 1.1");
  row("the same, of three that are no cluster", least("apart") / least("one"), "×");
  row("the same, of one of the cluster that is asked alone", least("follower") / least("one"), "×", "≤ 1.1");
  for (const stranger of strangers) await stranger.dispose();
}

/** An empty server, from its start to its first answer; the others have everything. */
async function join(cluster: MeasuredCluster): Promise<void> {
  const corpora = values.data === undefined ? [syntheticCorpus(50_000)] : corporaIn(values.data, null);
  const client = cluster.nodes[0]!.client();
  for (const corpus of corpora) await fill(client, corpus, say);
  client.close();
  await Promise.all(cluster.nodes.map((node) => node.settle()));
  const newcomer = cluster.server("four");
  row(
    `an empty server joins (${corpora.map(({ uid }) => uid).join(", ")})`,
    (await newcomer.start()) / 1000,
    "s",
    "≤ 15",
  );
  await newcomer.dispose();
}

const single = new Server("single", `${ownCommand()} --readers 1`);
await single.start();
const cluster = await MeasuredCluster.start();
try {
  if (wanted.has("answers")) await answers(single, cluster);
  if (wanted.has("found")) await found(cluster);
  if (wanted.has("kills")) await kills(cluster);
  if (wanted.has("reads")) await reads(single, cluster);
  if (wanted.has("join")) await join(cluster);
  console.log(layOut(["", "", "", "wanted"], rows, 1));
} finally {
  await single.dispose();
  await cluster.dispose();
}

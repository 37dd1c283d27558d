/** Servers are killed and paused again and again while clients write: what was answered with 202 is there once, the same everywhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import { TestServer } from "../lib/server.ts";
import {
  atNats,
  idle,
  inDirectory,
  leads,
  type MeetingPlace,
  mustHoldTheSame,
  optionsOf,
  startNode,
  until,
} from "./cluster.ts";
import { withDiagnosis } from "./diagnosis.ts";
import { ending } from "./ending.ts";
import { Clients, countOn, mustHaveAll } from "./writing.ts";

/** As many rounds as `CLUSTER_KILLS` says: what is random, and takes minutes, is tried by whoever wants to know. */
const ROUNDS = Number(process.env["CLUSTER_KILLS"] ?? 0);
/** So many NATS servers; of three, one is killed now and then. */
const NATS_SERVERS = process.env["CLUSTER_KILLS_NATS"] === "3" ? 3 : 1;
const NAMES = ["one", "two", "three"] as const;
/** Beyond what a leader may be silent. */
const PAUSE_MS = 4000;
/** So long as to be, now and then, in the middle of a start. */
const STARTING_MS_MAX = 2500;
/** All that were taken are looked for so often, and not only in the end. */
const ROUNDS_PER_LOOK = 10;

const wait = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

class Trial {
  readonly nodes: TestServer[];
  readonly clients: Clients;
  readonly #place: MeetingPlace;
  readonly #nats: NatsServers | null;

  constructor(place: MeetingPlace, nats: NatsServers | null, nodes: TestServer[]) {
    this.#place = place;
    this.#nats = nats;
    this.nodes = nodes;
    this.clients = new Clients(8, nodes);
  }

  async round(count: number): Promise<void> {
    const victim = this.#victim();
    const others = this.nodes.filter((_, i) => i !== victim);
    this.clients.servers = others;
    const kind = count % 8;
    if (kind === 3) await this.#pause([victim]);
    else if (kind === 7) await this.#pause([0, 1, 2].filter((i) => i !== victim));
    else await this.#kill(victim, kind === 5);
    if (kind === 1) await this.#killNats(Math.floor(count / 8) % NATS_SERVERS);
    this.clients.servers = this.nodes;
    for (const node of others) {
      const before = await countOn(node);
      await until(`more documents in round ${count}`, async () => (await countOn(node)) > before);
    }
  }

  /** Every second time who leads, if somebody does: most of what can go wrong does then. */
  #victim(): number {
    const leader = this.nodes.findIndex(leads);
    return leader >= 0 && Math.random() < 0.5 ? leader : Math.floor(Math.random() * this.nodes.length);
  }

  async #kill(victim: number, whileStarting: boolean): Promise<void> {
    const { directory } = this.nodes[victim]!;
    const name = NAMES[victim]!;
    // Often in the middle of something: the time is as random as the victim.
    await wait(Math.random() * 1000);
    await this.nodes[victim]!.kill();
    if (whileStarting) {
      const options = { ...optionsOf(this.#place, name), directory };
      await TestServer.startAndKill(options, Math.random() * STARTING_MS_MAX);
    }
    this.nodes[victim] = await startNode(this.#place, name, directory);
  }

  async #pause(victims: readonly number[]): Promise<void> {
    for (const victim of victims) process.kill(this.nodes[victim]!.pid, "SIGSTOP");
    await wait(PAUSE_MS);
    for (const victim of victims) process.kill(this.nodes[victim]!.pid, "SIGCONT");
  }

  async #killNats(place: number): Promise<void> {
    if (this.#nats === null || NATS_SERVERS === 1) return;
    await this.#nats.kill(place);
    await wait(Math.random() * PAUSE_MS);
    this.#nats.run(place);
    await this.#nats.ready();
  }
}

test(
  "killed and paused at random",
  { skip: ROUNDS === 0 && "set CLUSTER_KILLS=ROUNDS" },
  ending(async () => {
    const nats = withoutNats === false ? await NatsServers.start(NATS_SERVERS) : null;
    const place = nats === null ? inDirectory() : atNats(nats);
    const nodes: TestServer[] = [];
    for (const name of NAMES) nodes.push(await startNode(place, name));
    const trial = new Trial(place, nats, nodes);
    const { clients } = trial;
    await withDiagnosis(nodes, async () => {
      for (let count = 0; count < ROUNDS; count++) {
        const begin = performance.now();
        await trial.round(count);
        console.log(`round ${count}: ${Math.round(performance.now() - begin)} ms`);
        if (count % ROUNDS_PER_LOOK !== ROUNDS_PER_LOOK - 1) continue;
        await mustHaveAll(nodes, await clients.stop());
        console.log(`${count + 1} rounds, longest gap ${Math.round(clients.longestGap)} ms`);
        clients.resume();
      }
      const taken = await clients.stop();
      await mustHaveAll(nodes, taken);
      for (const node of nodes) await idle(node);
      for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
      const tables = await mustHoldTheSame(place, nodes);
      const gap = Math.round(clients.longestGap);
      console.log(`${ROUNDS} rounds, ${taken.length} documents were taken; longest gap ${gap} ms; ${tables}`);
    });
  }),
);

/**
 * Who leads is killed, or paused and woken up when another one leads, at each moment of a write at which something has happened
 * and something has not: whatever was answered with 202 is there once, everywhere, in one history.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CuttableLine } from "../lib/cuttable.ts";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import type { LoopbackStore } from "../storage/s3/store.ts";
import { atNats, leads, type MeetingPlace, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { atEnd, ending } from "./ending.ts";
import { atLoopbackStore } from "./stores.ts";
import { Clients, mustHaveAll } from "./writing.ts";

/** As they go over the line. */
const PUBLISHES = "PUB sabre.tests.journal";
const ACKNOWLEDGES = /"stream":\s*"sabre_tests_journal",.*"seq":/;
const NAMES = ["one", "two"] as const;

interface Member {
  name: string;
  place: MeetingPlace;
  line: CuttableLine;
  server: TestServer;
}

/** Resolves when it is so far; from then on the line lets through what it did at that moment. */
type Moment = (line: CuttableLine, store: LoopbackStore) => Promise<void>;

const isFile = (method: string, key: string): boolean => method === "PUT" && !key.includes("checkpoints/");

const fileOnItsWay: Moment = (_, store) =>
  new Promise((resolve) => {
    store.fault = ({ method, key }) => {
      if (!isFile(method, key)) return null;
      resolve();
      return "hang up";
    };
  });

const recordOnItsWay: Moment = (line) =>
  new Promise((resolve) => {
    line.watch = (direction, bytes) => {
      if (direction === "back" || !bytes.includes(PUBLISHES)) return;
      line.cut("there", "back");
      resolve();
    };
  });

const fileStored: Moment = async (line, store) => {
  await new Promise<void>((resolve) => {
    store.fault = ({ method, key }) => {
      if (isFile(method, key)) resolve();
      return null;
    };
  });
  await recordOnItsWay(line, store);
};

/** The answer is swallowed: the stream has the record, which who sent it does not know. */
const recordAppended: Moment = (line) =>
  new Promise((resolve) => {
    line.watch = (direction, bytes) => {
      if (direction === "there" && bytes.includes(PUBLISHES)) line.cut("back");
      if (direction === "back" && ACKNOWLEDGES.test(`${bytes}`)) resolve();
    };
  });

const recordAcknowledged: Moment = (line) =>
  new Promise((resolve) => {
    line.watch = (direction, bytes) => {
      if (direction === "back" && ACKNOWLEDGES.test(`${bytes}`)) resolve();
    };
  });

const TRIALS: [moment: Moment, what: "kill" | "pause"][] = [
  [fileOnItsWay, "kill"],
  [fileStored, "kill"],
  [recordOnItsWay, "pause"],
  [recordOnItsWay, "kill"],
  [recordAppended, "pause"],
  [recordAppended, "kill"],
  [recordAcknowledged, "kill"],
];

async function startMember(name: string, place: MeetingPlace, port: number): Promise<Member> {
  const line = await CuttableLine.start(port);
  atEnd(() => line.close());
  const own = { ...place, args: place.args.map((arg) => arg.replace(`:${port}`, `:${line.port}`)) };
  return { name, place: own, line, server: await startNode(own, name) };
}

/** What is between the leader and the others is as before when this resolves. */
async function loseLead(leader: Member, other: Member, what: "kill" | "pause", mend: () => void): Promise<void> {
  const { server } = leader;
  if (what === "kill") await server.kill();
  else process.kill(server.pid, "SIGSTOP");
  mend();
  await until("another leader", async () => leads(other.server));
  if (what === "kill") leader.server = await startNode(leader.place, leader.name, server.directory);
  else process.kill(server.pid, "SIGCONT");
  await until("the end of the one before", async () => !leads(leader.server));
}

test(
  "at every moment of a write",
  { skip: withoutNats },
  ending(async () => {
    const nats = await NatsServers.start(1);
    const { place, store } = await atLoopbackStore(atNats(nats));
    const members: Member[] = [];
    for (const name of NAMES) members.push(await startMember(name, place, nats.ports[0]!));
    const servers = (): TestServer[] => members.map(({ server }) => server);
    const clients = new Clients(3, servers());
    for (const [moment, what] of TRIALS) {
      await until("one leader", async () => servers().filter(leads).length === 1);
      const [leader, other] = leads(members[0]!.server) ? [members[0]!, members[1]!] : [members[1]!, members[0]!];
      await moment(leader.line, store);
      clients.servers = [other.server];
      await loseLead(leader, other, what, () => {
        store.fault = () => null;
        leader.line.watch = () => {};
        leader.line.mend();
      });
      clients.servers = servers();
    }
    const taken = await clients.stop();
    await mustHaveAll(servers(), taken);
    for (const server of servers()) assert.equal(await server.stop(), 0, server.output);
    const tables = await mustHoldTheSame(place, servers());
    console.log(`${taken.length} documents were taken; ${tables}`);
  }),
);

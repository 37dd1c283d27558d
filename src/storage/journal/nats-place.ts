/**
 * The NATS servers where the servers of a cluster meet, and what must be true of them. An acknowledgement of theirs has to mean
 * that the record is on the disks of most of them: by default they sync every two minutes, and lose what they acknowledged.
 */
import type { StreamConfig } from "@nats-io/jetstream";
import { MIB } from "../../base/limits.ts";
import type { JetStreamManager, NatsConnection } from "./nats-clients.ts";

export interface NatsPlace {
  kind: "nats";
  /** `host:port` each. */
  servers: string[];
  /** Several clusters may use the same servers. */
  name: string;
  user: string | null;
  password: string | null;
  tls: boolean;
  /** Of their monitoring, one for each server; null when nobody is to look whether they sync. */
  monitorPorts: number[] | null;
}

const COPIES = 3;
const VERSION_MIN = [2, 11, 0];
const PAYLOAD_BYTES_MIN = MIB;
/** A busy machine is late now and then. */
const LOOKS_MAX = 3;
const LOOK_MS_MAX = 3000;
/** NATS puts a stream without copies where it likes, mostly where there are fewest. */
const PLACED_MAX = 12;

export class UnfitNats extends Error {
  override readonly name = "UnfitNats";
}

/** What a server says of itself when it is asked over HTTP, as far as it matters here. */
interface Varz {
  server_name?: string;
  jetstream?: { config?: { sync_always?: boolean } };
}

export function subjectOf({ name }: NatsPlace): string {
  return `sabre.${name}.journal`;
}

export function streamOf({ name }: NatsPlace): string {
  return `sabre_${name}_journal`;
}

/** The places of the board where servers leave notes: as many as there are copies of the journal. */
export function boardOf(place: NatsPlace): { name: string; subject: string }[] {
  return Array.from({ length: copiesFor(place) }, (_, i) => ({
    name: `sabre_${place.name}_notes_${i}`,
    subject: `${notesOf(place)}.${i}`,
  }));
}

function notesOf({ name }: NatsPlace): string {
  return `sabre.${name}.notes`;
}

/** Where servers tell that they have left a note. */
export function leftOf({ name }: NatsPlace): string {
  return `sabre.${name}.left`;
}

/** Where servers tell what need not be kept. */
export function newsOf({ name }: NatsPlace): string {
  return `sabre.${name}.news`;
}

/** So many copies of each record: three where there are three servers, and one where there is one. */
function copiesFor({ servers }: NatsPlace): number {
  return servers.length >= COPIES ? COPIES : 1;
}

/** Throws `UnfitNats` unless acknowledged means durable, and records fit. */
export async function mustBeFit(place: NatsPlace, connection: NatsConnection): Promise<void> {
  const { info } = connection;
  const version = (info?.version ?? "0").split(".").map((part) => Number.parseInt(part, 10));
  const isOlder = version.reduce((found, part, i) => (found !== 0 ? found : part - (VERSION_MIN[i] ?? 0)), 0) < 0;
  if (isOlder) throw new UnfitNats(`NATS ${info?.version} is too old: at least ${VERSION_MIN.join(".")} is needed`);
  if ((info?.max_payload ?? 0) < PAYLOAD_BYTES_MIN) {
    throw new UnfitNats(`NATS takes messages of ${info?.max_payload} bytes: set max_payload to 8MB, and not below 1MB`);
  }
  if (info?.jetstream !== true) {
    throw new UnfitNats(`NATS at ${place.servers.join(",")} has no JetStream: its configuration needs jetstream {}`);
  }
  if (place.servers.length === 2) {
    throw new UnfitNats("two NATS servers have no majority when one is gone: name three, or one");
  }
  if (place.monitorPorts !== null) await mostMustSync(place);
}

/** One of three may be gone; one that is there and does not sync is never taken. */
async function mostMustSync(place: NatsPlace): Promise<void> {
  const looked = await Promise.all(place.servers.map((server, i) => syncs(place, server, i)));
  const seen = looked.filter((problem) => problem === null).length;
  const unseen = looked.find((problem) => problem !== null);
  if (unseen !== undefined && seen * 2 <= looked.length) throw new UnfitNats(unseen);
}

/** Null, or why it cannot be seen. Throws when it does not. */
async function syncs({ monitorPorts, tls }: NatsPlace, server: string, at: number): Promise<string | null> {
  const host = server.slice(0, server.lastIndexOf(":"));
  const address = `${tls ? "https" : "http"}://${host}:${monitorPorts![at] ?? monitorPorts![0]}/varz`;
  let varz: Varz | null = null;
  for (let look = 1; varz === null; look++) {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(LOOK_MS_MAX) });
      varz = (await response.json()) as Varz;
    } catch (problem) {
      if (look < LOOKS_MAX) continue;
      return (
        `whether NATS at ${server} syncs what it acknowledges cannot be seen at ${address} (${(problem as Error).message}): ` +
        "give it `http: 8222`, or say where that is with ?monitor=PORT, or ?monitor=none when you know that it does"
      );
    }
  }
  if (varz.jetstream?.config?.sync_always === true) return null;
  throw new UnfitNats(
    `NATS at ${server} acknowledges what is not on its disk yet: its configuration needs jetstream { sync_interval: always }`,
  );
}

/** Makes the stream, or sees that the one that is there is as it must be. */
export async function mustHaveStream(place: NatsPlace, manager: JetStreamManager): Promise<void> {
  const name = streamOf(place);
  const copies = copiesFor(place);
  const config: Partial<StreamConfig> & { name: string } = {
    name,
    subjects: [subjectOf(place)],
    storage: "file",
    retention: "limits",
    discard: "new",
    num_replicas: copies,
    deny_delete: true,
    duplicate_window: 0,
  };
  const found = await manager.streams.info(name).catch((problem: { code?: number; message: string }) => {
    if (problem.code === 404 || /not found/.test(problem.message)) return null;
    throw problem;
  });
  const made = found ?? (await manager.streams.add(config));
  if (made.config.num_replicas < copies || made.config.storage !== "file" || made.config.retention !== "limits") {
    throw new UnfitNats(
      `the stream ${name} has ${made.config.num_replicas} copies in ${made.config.storage} storage; ${copies} in file storage are needed`,
    );
  }
}

/** Makes the places of the board that are not there, each at a server that has none yet, as far as NATS can be brought to it. */
export async function mustHaveBoard(place: NatsPlace, manager: JetStreamManager): Promise<void> {
  const known = new Set<string>();
  for await (const name of manager.streams.names(`${notesOf(place)}.>`)) known.add(name);
  const streams = boardOf(place);
  const missing = streams.filter(({ name }) => !known.has(name));
  if (missing.length === 0) return;
  const taken = new Set<string | undefined>();
  for (const { name } of streams) {
    // A place whose server is gone is still its own.
    const found = known.has(name) ? await manager.streams.info(name).catch(() => null) : null;
    if (found !== null) taken.add(found.cluster?.leader);
  }
  for (const { name, subject } of missing) {
    const config: Partial<StreamConfig> & { name: string } = {
      name,
      subjects: [`${subject}.*`],
      storage: "memory",
      num_replicas: 1,
      max_msgs_per_subject: 1,
      allow_direct: true,
    };
    for (let left = PLACED_MAX; ; left--) {
      const { cluster } = await manager.streams.add(config);
      if (left > 1 && taken.has(cluster?.leader)) await manager.streams.delete(name);
      else {
        taken.add(cluster?.leader);
        break;
      }
    }
  }
}

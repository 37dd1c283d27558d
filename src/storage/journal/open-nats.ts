/** Meets the other servers at NATS: connects, sees that what is there is fit, and opens the journal and the board. */
import { createRequire } from "node:module";
import type { Blobs } from "../blobs/blobs.ts";
import type { Board } from "./board.ts";
import type { Journal } from "./journal.ts";
import { NatsJournal } from "./nats.ts";
import { NatsAbsence } from "./nats-absence.ts";
import { NatsAppends } from "./nats-appends.ts";
import { NatsBoard } from "./nats-board.ts";
import type { NatsConnection } from "./nats-clients.ts";
import {
  boardOf,
  leftOf,
  mustBeFit,
  mustHaveBoard,
  mustHaveStream,
  type NatsPlace,
  newsOf,
  streamOf,
  subjectOf,
  UnfitNats,
} from "./nats-place.ts";

/** In a build a file of its own beside it. */
const CLIENTS = import.meta.url.endsWith(".ts") ? "./nats-clients.ts" : "./nats.cjs";
const CONNECT_MS_MAX = 5000;
/** A server that is stopped, not gone, is noticed by what it does not answer. */
const PING_MS = 1000;
const PINGS_UNANSWERED_MAX = 2;
const RECONNECT_MS = 250;
const CALL_MS_MAX = 3000;
/** When one of them has just gone, the others have no answer until they agree on who leads: a start waits that out. */
const AGREED_MS_MAX = 30_000;
const AGREED_PAUSE_MS = 250;
/** What they say meanwhile: no suitable peers, temporarily unavailable, cannot handle request. */
const NOT_AGREED = new Set([10005, 10008, 10009]);

export interface OpenedNats {
  journal: Journal;
  board: Board;
  close(): Promise<void>;
}

export async function openNats(place: NatsPlace, blobs: Blobs, folder: string): Promise<OpenedNats> {
  const clients = createRequire(import.meta.url)(CLIENTS) as typeof import("./nats-clients.ts");
  const { connect, jetstream, jetstreamManager } = clients;
  const { user, password } = place;
  const connection = await connect({
    servers: place.servers,
    name: "sabre",
    timeout: CONNECT_MS_MAX,
    pingInterval: PING_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    // All of them are named; others that these know of may be reached from elsewhere only.
    ignoreClusterUpdates: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    // The one that was tried the longest time ago: one that stands still takes long to be found out again.
    reconnectToServer: (servers) => servers.reduce((best, next) => (next.lastConnect < best.lastConnect ? next : best)),
    // Where a call came from is known here; to note it for each costs as much as the rest of the call.
    noAsyncTraces: true,
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { pass: password }),
    ...(place.tls ? { tls: {} } : {}),
  }).catch((problem: Error) => {
    throw new UnfitNats(`no NATS server answers at ${place.servers.join(",")}: ${problem.message}`);
  });
  try {
    await mustBeFit(place, connection);
    const manager = await answered(() => jetstreamManager(connection, { timeout: CALL_MS_MAX }));
    await answered(() => mustHaveStream(place, manager));
    const client = jetstream(connection, { timeout: CALL_MS_MAX });
    await answered(() => mustHaveBoard(place, manager));
    const appends = new NatsAppends({
      ...{ connection, stream: streamOf(place), subject: subjectOf(place) },
      ...{ inbox: clients.createInbox(), headers: clients.headers() },
    });
    const journal = new NatsJournal({ place, connection, appends, client, manager, blobs, folder });
    const board = new NatsBoard({
      ...{ connection, client, manager, streams: boardOf(place) },
      absence: new NatsAbsence(place, manager),
      ...{ news: newsOf(place), left: leftOf(place) },
    });
    void tellOfReconnects(connection, journal);
    return { journal, board, close: () => connection.close() };
  } catch (problem) {
    await connection.close();
    throw problem;
  }
}

/** Asks again as long as nobody answers in time, or nobody can. */
export async function answered<T>(call: () => Promise<T>): Promise<T> {
  const end = performance.now() + AGREED_MS_MAX;
  for (;;) {
    try {
      return await call();
    } catch (problem) {
      if (!isPassing(problem as Error & { code?: number }) || performance.now() > end) throw problem;
      await new Promise((resume) => setTimeout(resume, AGREED_PAUSE_MS));
    }
  }
}

/** That JetStream is there at all was told by the server when it was connected to. */
function isPassing({ name, code }: { name: string; code?: number }): boolean {
  return name === "TimeoutError" || name === "JetStreamNotEnabled" || NOT_AGREED.has(code ?? 0);
}

async function tellOfReconnects(connection: NatsConnection, journal: NatsJournal): Promise<void> {
  for await (const { type } of connection.status()) if (type === "reconnect") journal.onReconnected();
}

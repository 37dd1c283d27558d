/**
 * Notes at NATS, with a place at each of its servers. That a note was left is told by a plain message, which nobody keeps and
 * after which the others look; news are such messages.
 */
import { randomUUID } from "node:crypto";
import { type Board, mostOf, type Sight } from "./board.ts";
import type { NatsAbsence } from "./nats-absence.ts";
import type { JetStreamClient, JetStreamManager, NatsConnection, Subscription } from "./nats-clients.ts";
import { NatsNotes } from "./nats-notes.ts";

/** When most places have not shown a note for this time, the connection may be dead. */
const SILENT_MS = 1000;
/** So long a new one gets. */
const RECONNECT_MS_MIN = 1500;
/** When a place has not shown a note for this time, its server may be gone. */
const LATE_MS = 250;

interface NatsBoardParts {
  connection: NatsConnection;
  client: JetStreamClient;
  manager: JetStreamManager;
  absence: NatsAbsence;
  /** Where each place is. */
  streams: readonly { name: string; subject: string }[];
  /** Where news are told, and that notes were left. */
  news: string;
  left: string;
}

export class NatsBoard implements Board {
  readonly #parts: NatsBoardParts;
  readonly #places: NatsNotes[];
  readonly #listening: Subscription[];
  /** Tells what it has left itself from what others have. */
  readonly #own = randomUUID();
  #reconnectedAt = Number.NEGATIVE_INFINITY;
  #see: (sight: Sight) => void = () => {};
  #miss: (place: number, moment: number) => void = () => {};
  #hear: (name: string, news: string) => void = () => {};

  constructor(parts: NatsBoardParts) {
    const { connection, client, manager, streams, news, left } = parts;
    this.#parts = parts;
    const see = (sight: Sight): void => {
      parts.absence.seen(streams[sight.place]!.name, sight.isNew);
      this.#see(sight);
    };
    this.#places = streams.map(
      ({ name: stream, subject }, place) => new NatsNotes({ client, manager, place, stream, subject, see }),
    );
    this.#listening = [
      connection.subscribe(`${news}.*`, {
        callback: (problem, message) => {
          if (problem === null) this.#hear(message.subject.slice(news.length + 1), message.string());
        },
      }),
      connection.subscribe(left, {
        callback: (problem, message) => {
          if (problem !== null || message.string() === this.#own) return;
          // Whoever cannot be asked now is asked with the next note.
          for (const place of this.#places) place.look().catch(() => {});
        },
      }),
    ];
  }

  get places(): number {
    return this.#places.length;
  }

  async put(name: string, note: string): Promise<void> {
    const silent = setTimeout(() => this.#reconnect(), SILENT_MS);
    await most(this.#places.map((_, place) => this.#putAt(place, name, note))).finally(() => clearTimeout(silent));
    if (!this.#parts.connection.isClosed()) this.#parts.connection.publish(this.#parts.left, this.#own);
  }

  async look(): Promise<Sight[]> {
    return most(this.#places.map((place) => place.look().then(() => place.sight)));
  }

  async remove(name: string): Promise<void> {
    await this.put(name, "");
  }

  tell(name: string, news: string): void {
    if (!this.#parts.connection.isClosed()) this.#parts.connection.publish(`${this.#parts.news}.${name}`, news);
  }

  onNews(hear: (name: string, news: string) => void): void {
    this.#hear = hear;
  }

  onSight(see: (sight: Sight) => void): void {
    this.#see = see;
  }

  onGone(miss: (place: number, moment: number) => void): void {
    this.#miss = miss;
  }

  async close(): Promise<void> {
    this.#see = () => {};
    this.#miss = () => {};
    this.#hear = () => {};
    if (!this.#parts.connection.isClosed()) for (const listening of this.#listening) listening.unsubscribe();
  }

  /** The server that this one is connected to may stand still; to find that by what it does not say of itself takes longer. */
  #reconnect(): void {
    const now = performance.now();
    if (now - this.#reconnectedAt < RECONNECT_MS_MIN || this.#parts.connection.isClosed()) return;
    this.#reconnectedAt = now;
    this.#parts.connection.reconnect().catch(() => {});
  }

  async #putAt(place: number, name: string, note: string): Promise<void> {
    const late = setTimeout(() => void this.#mind(place), LATE_MS);
    try {
      await this.#places[place]!.put(name, note);
    } catch (problem) {
      void this.#mind(place);
      throw problem;
    } finally {
      clearTimeout(late);
    }
  }

  async #mind(place: number): Promise<void> {
    const moment = performance.now();
    if (await this.#parts.absence.isGone(this.#parts.streams[place]!.name)) this.#miss(place, moment);
  }
}

/** Resolves with what most have given as soon as they have, whatever becomes of the others; rejects when most cannot. */
function most<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const given: T[] = [];
    let failed = 0;
    for (const call of calls) {
      call.then(
        (value) => {
          given.push(value);
          if (given.length === mostOf(calls.length)) resolve([...given]);
        },
        (problem) => {
          failed++;
          if (calls.length - failed < mostOf(calls.length)) reject(problem);
        },
      );
    }
  });
}

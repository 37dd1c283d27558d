/**
 * A journal in a stream of NATS JetStream: the number of a record is its sequence there, and a record is added with the
 * sequence that the last one is expected to have, which the stream refuses when it is another. Records come by themselves as
 * soon as they are committed; what a message cannot hold goes to the shared files, and the stream has its name.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { MIB } from "../../base/limits.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { type Journal, LostRecords, TrimmedRecord } from "./journal.ts";
import type { NatsAppends } from "./nats-appends.ts";
import type { ConsumerMessages, JetStreamClient, JetStreamManager, NatsConnection } from "./nats-clients.ts";
import { type NatsPlace, streamOf } from "./nats-place.ts";

/** Headers are part of what is limited. */
const HEADER_BYTES = 1024;
const RECORD_BYTES = 4 * MIB;
/** Records that came and were not asked for yet. */
const AHEAD_MAX = 64;
/** After this time without a record the stream is asked whether something was missed. */
const LOOK_MS = 2000;
const RESUME_MS = 100;
/** Interval of heartbeats of whoever sends records; two that are missing mean that it is gone. */
const HEARTBEAT_MS = 1000;
/** A server that leads the stream since a moment ago may not have made all of it yet; what it does not have by then is lost. */
const LOST_MS = 5000;
const WRONG_LAST_SEQUENCE = 10071;
const NOT_FOUND = 404;
const NO_STREAM = 10059;
/** In place of a record: the name of a shared file follows. No record begins like this. */
const ELSEWHERE = 0xff;

interface NatsJournalParts {
  place: NatsPlace;
  connection: NatsConnection;
  appends: NatsAppends;
  client: JetStreamClient;
  manager: JetStreamManager;
  blobs: Blobs;
  /** For files on their way. */
  folder: string;
}

export class NatsJournal implements Journal {
  readonly place: string;
  readonly recordBytes: number;
  readonly #parts: NatsJournalParts;
  readonly #stream: string;
  readonly #messageBytes: number;
  readonly #ahead = new Map<number, Uint8Array>();
  readonly #looking: NodeJS.Timeout;
  /** Nothing after this one has come by itself. */
  #came = 0;
  #cameAt = Number.NEGATIVE_INFINITY;
  /** The one that was asked for last. */
  #wanted = 1;
  /** Whether the stream itself is to be asked, whatever has come. */
  #mustAsk = true;
  #isClosed = false;
  /** Since when the stream has said that it ends before what was followed. */
  #lostSince: number | null = null;
  #onRoom: (() => void) | null = null;
  #following: { stop(): void } | null = null;
  #tell: () => void = () => {};

  constructor(parts: NatsJournalParts) {
    this.#parts = parts;
    this.#stream = streamOf(parts.place);
    this.place = `${this.#stream} of NATS at ${parts.place.servers.join(",")}`;
    this.#messageBytes = (parts.connection.info?.max_payload ?? MIB) - HEADER_BYTES;
    this.recordBytes = Math.min(RECORD_BYTES, Math.floor(this.#messageBytes / 2));
    this.#looking = setInterval(() => {
      if (performance.now() - this.#cameAt < LOOK_MS) return;
      this.#mustAsk = true;
      this.#tell();
    }, LOOK_MS).unref();
  }

  async first(): Promise<number> {
    return (await this.#state()).first_seq || 1;
  }

  async last(): Promise<number> {
    return (await this.#state()).last_seq;
  }

  async append(number: number, record: Uint8Array): Promise<"appended" | "taken"> {
    const message = record.byteLength <= this.#messageBytes ? record : await this.#putElsewhere(record);
    try {
      const seq = await this.#parts.appends.append(number - 1, message);
      if (seq !== number) throw new Error(`the stream gave record ${number} the number ${seq}`);
      this.#ahead.delete(number);
      // It comes back like those of others, and then is no news.
      this.#wanted = number + 1;
      return "appended";
    } catch (problem) {
      if ((problem as { code?: number }).code !== WRONG_LAST_SEQUENCE) throw problem;
      this.#mustAsk = true;
      return "taken";
    }
  }

  async read(number: number): Promise<Uint8Array | null> {
    this.#wanted = number;
    const came = this.#ahead.get(number);
    for (const older of this.#ahead.keys()) if (older <= number) this.#ahead.delete(older);
    this.#onRoom?.();
    if (came !== undefined) return this.#whole(came);
    if (this.#following !== null && !this.#mustAsk && number > this.#came) return null;
    const message = await this.#ask(number);
    if (message !== null) return this.#whole(message);
    const { first_seq: first, last_seq: last } = await this.#state();
    if (number < first) throw new TrimmedRecord(this.place, number);
    if (last < number - 1) throw this.#lost(number - 1);
    this.#lostSince = null;
    // Only an answer that was asked for after the last sign of more can say that there is none.
    this.#mustAsk = false;
    return null;
  }

  onNews(after: number, tell: () => void): void {
    this.#came = after;
    this.#tell = tell;
    void this.#follow();
  }

  /** Whoever sent records may be gone, and is not waited for. */
  onReconnected(): void {
    this.#following?.stop();
  }

  async trim(first: number): Promise<void> {
    await this.#parts.manager.streams.purge(this.#stream, { seq: first });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#looking);
    this.#parts.appends.close();
    this.#following?.stop();
    this.#onRoom?.();
    this.#tell = () => {};
  }

  /** Has records sent as they are committed, for as long as this is open. */
  async #follow(): Promise<void> {
    const { client } = this.#parts;
    while (!this.#isClosed) {
      try {
        const from = Math.max(this.#came + 1, this.#wanted);
        const consumer = await client.consumers.get(this.#stream, { opt_start_seq: from });
        const messages = await consumer.consume({ max_messages: AHEAD_MAX, idle_heartbeat: HEARTBEAT_MS });
        this.#following = messages;
        if (this.#isClosed) messages.stop();
        this.#mustAsk = true;
        void stopWhenMissed(messages);
        for await (const { seq, data } of messages) {
          this.#came = seq;
          this.#cameAt = performance.now();
          if (seq < this.#wanted) continue;
          this.#ahead.set(seq, data);
          this.#tell();
          if (this.#ahead.size >= AHEAD_MAX) await this.#room();
        }
      } catch {
        // Tried again below; meanwhile the stream is asked.
      }
      this.#following = null;
      await new Promise((resume) => setTimeout(resume, RESUME_MS).unref());
    }
  }

  /** No more are taken than are asked for. */
  async #room(): Promise<void> {
    await new Promise<void>((resume) => {
      this.#onRoom = resume;
    });
    this.#onRoom = null;
  }

  async #ask(number: number): Promise<Uint8Array | null> {
    try {
      const message = await this.#parts.manager.streams.getMessage(this.#stream, { seq: number });
      return message === null ? null : message.data;
    } catch (problem) {
      if (
        (problem as { status?: number }).status === NOT_FOUND ||
        /no message found/i.test((problem as Error).message)
      ) {
        return null;
      }
      throw problem;
    }
  }

  #lost(number: number): Error {
    this.#lostSince ??= performance.now();
    if (performance.now() - this.#lostSince >= LOST_MS) return new LostRecords(this.place, number);
    return new Error(`the journal ${this.place} does not show record ${number}, which was there`);
  }

  /** A stream that is no longer there holds nothing. */
  async #state(): Promise<{ first_seq: number; last_seq: number }> {
    try {
      return (await this.#parts.manager.streams.info(this.#stream)).state;
    } catch (problem) {
      if ((problem as { code?: number }).code !== NO_STREAM) throw problem;
      return { first_seq: 0, last_seq: 0 };
    }
  }

  async #putElsewhere(record: Uint8Array): Promise<Uint8Array> {
    const { blobs, folder } = this.#parts;
    const name = `records/${randomUUID()}`;
    const file = path.join(folder, path.basename(name));
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(file, record, { flush: true });
      await blobs.put(name, file);
    } finally {
      await rm(file, { force: true });
    }
    return Buffer.concat([Buffer.of(ELSEWHERE), Buffer.from(name)]);
  }

  async #whole(message: Uint8Array): Promise<Uint8Array> {
    if (message[0] !== ELSEWHERE) return message;
    const { blobs, folder } = this.#parts;
    const file = path.join(folder, randomUUID());
    try {
      await blobs.get(Buffer.from(message.subarray(1)).toString(), file);
      return await readFile(file);
    } finally {
      await rm(file, { force: true });
    }
  }
}

/** What the client does then by itself may take half a minute. */
async function stopWhenMissed(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === "heartbeats_missed") messages.stop();
}

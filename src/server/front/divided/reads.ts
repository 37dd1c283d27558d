/**
 * Reads of indexes that lie in parts on several servers: readers say what they want to know of parts, which are asked all at once, and
 * do the request anew with what came of it. Nothing of it is looked into here.
 */
import { Buffer } from "node:buffer";
import { ApiError, apiError, type ErrorBody } from "../../../base/errors/errors.ts";
import { clockMs } from "../../../base/time/clock.ts";
import { decodeWanted, encodeAnswer, OTHER_STATE, type PartAsk, type Told } from "../../../engine/link/part-asks.ts";
import type { ReaderRequests, RequestKind } from "../../../engine/link/requests.ts";
import type { ReaderAnswer } from "../../../engine/reader/pool.ts";
import type { ClusterView } from "../cluster-view.ts";
import { gathered } from "../gathered.ts";
import type { Readers, Request } from "../services.ts";
import type { Division, HeldShards } from "./division.ts";
import type { PartReply, PartServers } from "./part-servers.ts";

/** Of one request: what is asked of many parts at once keeps this thread, and the lines to the servers, from others. */
const ASKS_AT_ONCE = 64;
/** A request that is begun anew more often meets an index that changes faster than it can be asked. */
const TRIES_MAX = 5;
const NOTHING = new Uint8Array(0);
const NOT_THERE = apiError("remote_could_not_send_request", "The server is not there.").body();

interface ReadsSetup {
  readers: Readers;
  division: Division;
  servers: Pick<PartServers, "ask">;
  cluster: Pick<ClusterView, "shown" | "ready">;
}

export class DividedReads implements Readers {
  readonly #setup: ReadsSetup;

  constructor(setup: ReadsSetup) {
    this.#setup = setup;
  }

  admit(): void {
    this.#setup.readers.admit();
  }

  noteGiven(): void {
    this.#setup.readers.noteGiven();
  }

  request<K extends RequestKind>(
    kind: K,
    header: ReaderRequests[K],
    payload: Uint8Array | null,
    request: Request | null,
    borrows = false,
  ): Promise<ReaderAnswer> {
    const since = clockMs();
    const { readers } = this.#setup;
    return readers.request(kind, header, payload, request, borrows).then((answer) => {
      if (answer.wants !== "parts") return answer;
      const round = new Rounds(this.#setup, request);
      const again = (told: Told, answers: readonly Uint8Array[]): Promise<ReaderAnswer> => {
        const own = payload ?? NOTHING;
        const indexUid = "indexUid" in header ? header.indexUid : "";
        const whole = { indexUid, kind, header, payloadBytes: own.length, since, told };
        return gathered([own, ...answers]).then((bytes) => readers.request("told", whole, bytes, request, borrows));
      };
      return round.run(answer, again);
    });
  }
}

type Reply = PartReply | Record<string, ErrorBody>;

/** A part that nobody answered for, and what each server said. */
interface MissingPart {
  errors: Record<string, ErrorBody>;
  group: number;
  id: string;
}

/** One request, as often as it is done. */
class Rounds {
  readonly #setup: ReadsSetup;
  readonly #gone = new AbortController();
  /** What must have been seen by whoever is asked: what this server shows, and what its client has seen. */
  readonly #sequence: number;
  readonly #held = new Map<string, HeldShards[]>();
  /** Whatever was seen of other servers is not beyond this. */
  #seen = 0;
  #told: Told = { groups: {}, tries: 0 };
  /** As readers are told of them. */
  #answers: Uint8Array[] = [];

  constructor(setup: ReadsSetup, request: Request | null) {
    this.#setup = setup;
    this.#sequence = Math.max(request?.minSequence ?? 0, setup.cluster.shown);
    request?.onAbort(() => this.#gone.abort());
  }

  async run(
    first: ReaderAnswer,
    again: (told: Told, answers: readonly Uint8Array[]) => Promise<ReaderAnswer>,
  ): Promise<ReaderAnswer> {
    let answer = first;
    while (answer.wants === "parts") {
      const { buffer, byteOffset, length } = answer.body;
      const { asks, beginsAnew, groups } = decodeWanted(Buffer.from(buffer, byteOffset, length));
      for (const { id } of groups) this.#divide(id);
      if (beginsAnew) this.#beginAnew();
      else await this.#askAll(asks);
      answer = await again(this.#told, this.#answers);
    }
    return { ...answer, sequence: this.#seen };
  }

  #divide(id: string, isByShard = false): void {
    const groups = this.#setup.division.groupsOf(id);
    const held = isByShard ? groups.flatMap(shardByShard) : groups;
    this.#held.set(id, held);
    this.#told.groups[id] = held.map(({ shards }) => ({ shards, missing: null }));
  }

  /** What is known is forgotten, but for who is not there. */
  #beginAnew(): void {
    const tries = this.#told.tries + 1;
    if (tries > TRIES_MAX) {
      throw new ApiError("internal", "The parts of an index are not in the same state: ask again.", 503);
    }
    this.#told = { ...this.#told, tries };
    this.#answers = [];
  }

  /** Each is read and sent on when it is its turn, and so are the answers: all of them at once keep this thread too long. */
  async #askAll(asks: Iterable<PartAsk>): Promise<void> {
    const left = asks[Symbol.iterator]();
    const missing: MissingPart[] = [];
    /** Of those that are in another state. */
    let sequence: number | null = null;
    const lane = async (): Promise<void> => {
      for (let next = left.next(); !next.done && missing.length === 0 && sequence === null; next = left.next()) {
        const { group, id, key } = next.value;
        const reply = await this.#ask(next.value);
        if (!isReply(reply)) missing.push({ errors: reply, group, id });
        else if (reply.status === OTHER_STATE) {
          sequence = Math.max(sequence ?? 0, reply.sequence);
        } else {
          this.#seen = Math.max(this.#seen, reply.sequence);
          this.#answers.push(...encodeAnswer({ key, status: reply.status }, reply.body));
        }
      }
    };
    await Promise.all(Array.from({ length: ASKS_AT_ONCE }, lane));
    if (missing.length > 0) this.#goOnWithout(missing);
    if (sequence === null) return;
    await this.#setup.cluster.ready(sequence);
    this.#beginAnew();
  }

  /** Begins anew, which is no try: there are only so many that can be missing. */
  #goOnWithout(missing: readonly MissingPart[]): void {
    const apart = new Set(missing.filter((part) => this.#mayLieApart(part)).map(({ id }) => id));
    for (const id of apart) this.#divide(id, true);
    for (const { errors, group, id } of missing) if (!apart.has(id)) this.#told.groups[id]![group]!.missing = errors;
    this.#answers = [];
  }

  /** Whether somebody answered that not all of it is there: while servers bring what others held, each may have some of it. */
  #mayLieApart({ errors, group, id }: MissingPart): boolean {
    if (this.#held.get(id)![group]!.shards.length === 1) return false;
    return Object.values(errors).some(({ code }) => code === "remote_remote_error");
  }

  async #ask(ask: PartAsk): Promise<Reply> {
    const { body, group, id, indexUid, leftMs, settingsVersion } = ask;
    const { holders, names, shards } = this.#held.get(id)![group]!;
    const call = { indexUid, id, settingsVersion, shards, leftMs };
    const reply = await this.#setup.servers.ask(holders, call, body, this.#sequence, this.#gone.signal);
    if (isReply(reply)) return reply;
    const unasked = names.filter((name) => !Object.hasOwn(reply, name));
    return { ...reply, ...Object.fromEntries(unasked.map((name) => [name, NOT_THERE])) };
  }
}

function shardByShard({ shards, ...held }: HeldShards): HeldShards[] {
  return shards.map((shard) => ({ ...held, shards: [shard] }));
}

function isReply(reply: Reply): reply is PartReply {
  return typeof reply["status"] === "number";
}

/**
 * Reads of an index that this server does not hold: another one that does is asked, and what it answers is passed on as it is. One
 * that is gone, does not hold it either, or cannot answer now is passed over; where one takes long, the next is asked as well, and the
 * first answer counts.
 */
import { isHeavy, parseJson } from "../../base/contract/json-body.ts";
import { indexesNamedIn } from "../../base/contract/named-indexes.ts";
import { ApiError } from "../../base/errors/errors.ts";
import type { Outgoing, PassedAnswer } from "../../base/net/outgoing.ts";
import { Turnstile } from "../../base/net/turnstile.ts";
import { CODINGS } from "../../engine/link/coding.ts";
import { isDivided } from "../../engine/parts/divide.ts";
import type { ReaderPool } from "../../engine/reader/pool.ts";
import type { Snapshot } from "../../storage/index/catalog.ts";
import { ELSEWHERE } from "../../storage/index/publish.ts";
import { type Answer, errorAnswer } from "./answer.ts";
import type { AskableServers, ClusterView, Member } from "./cluster-view.ts";
import { firstInTurn } from "./first-in-turn.ts";
import type { ClientRequest } from "./request.ts";
import { ANSWER_BYTES_MAX, CALLS_MAX, DEADLINE_MS, LATE_MS, WAITING_MAX } from "./server-calls.ts";

/** The header with which one server asks another; what it holds no index for it does not pass on again, but says so. */
export const PASSED_ON_BY = "x-sabre-passed-on-by";
const NOT_HERE = "x-sabre-not-here";
/** What a server answers that is behind the others, cut off from them or has too much to do. */
const UNAVAILABLE = 503;
/** Routes that name indexes in their bodies. */
const WITH_BODIES = new Set(["/multi-search", "/render-template"]);
/** Actions that no reader is asked for. */
const COUNTED_HERE = new Set(["stats.get"]);
const READING_POSTS = new Set(["search", "documents.get", "fields.post"]);

interface ForwardingParts {
  readers: Pick<ReaderPool, "request">;
  indexes: { pin(): Snapshot };
  cluster: Pick<ClusterView, "name"> & { askable: Pick<AskableServers, "holders"> };
  outgoing: Pick<Outgoing, "pass">;
}

export class Forwarding {
  readonly #parts: ForwardingParts;
  readonly #lines = new Map<string, Turnstile>();

  constructor(parts: ForwardingParts) {
    this.#parts = parts;
  }

  /** What another server answers; null for what is answered here, by `here` where that is known only later. */
  answer<Grant>(request: ClientRequest<Grant>, here: () => Answer | Promise<Answer>): Promise<Answer> | null {
    const uids = indexesOf(request);
    return uids === null ? this.#answerLong(request, here) : this.#answerOn(request, uids);
  }

  /** A long body is read by a reader; what is wrong with it is told by whoever answers. */
  async #answerLong<Grant>(request: ClientRequest<Grant>, here: () => Answer | Promise<Answer>): Promise<Answer> {
    const { status, body } = await this.#parts.readers.request("indexes.named", {}, request.body, request);
    if (status !== 200) return here();
    return this.#answerOn(request, parseJson(body) as string[]) ?? here();
  }

  #answerOn<Grant>(request: ClientRequest<Grant>, uids: readonly string[]): Promise<Answer> | null {
    if (uids.length === 0) return null;
    const named = this.#named(uids, !COUNTED_HERE.has(String(request.route.action)));
    if (!named.some(({ isHere }) => !isHere)) return null;
    if (request.passedOnBy !== "") return Promise.resolve(this.#notHere(uids));
    const lists = named.map(({ id }) => this.#parts.cluster.askable.holders(id));
    const able = lists[0]!.filter(({ name }) => lists.every((list) => list.some((other) => other.name === name)));
    return this.#ask(request, able).then((passed) => (passed === null ? this.#notHere(uids) : answerOf(passed)));
  }

  /** Those that there are, with those whose documents belong to their answers. */
  #named(uids: readonly string[], mayBeInParts: boolean): { id: number; isHere: boolean }[] {
    const snapshot = this.#parts.indexes.pin();
    try {
      const found = new Map<number, boolean>();
      const add = (uid: string, isForeign: boolean): void => {
        const index = snapshot.index(uid);
        const id = Number(index?.id);
        if (index === null || found.has(id)) return;
        // What lies in parts is asked of those, but for foreign keys, which are followed by a server that holds all.
        const isAlone = !isForeign && index.settings.foreignKeys.length === 0;
        const isInParts = mayBeInParts && isDivided(index) && isAlone;
        found.set(id, index.problem !== ELSEWHERE || isInParts);
        for (const { foreignIndexUid } of index.settings.foreignKeys) add(foreignIndexUid, true);
      };
      for (const uid of uids) add(uid, false);
      return [...found].map(([id, isHere]) => ({ id, isHere }));
    } finally {
      snapshot.release();
    }
  }

  #notHere(uids: readonly string[]): Answer {
    const refusal = nobody(uids, this.#parts.cluster.name);
    return { ...errorAnswer(refusal), headers: [[NOT_HERE, "1"]] };
  }

  /** One after the other, and the next one also where one takes long. Null when none has an answer. */
  async #ask<Grant>(request: ClientRequest<Grant>, able: readonly Member[]): Promise<PassedAnswer | null> {
    const over = new AbortController();
    request.onAbort(() => over.abort());
    const timer = setTimeout(() => over.abort(), DEADLINE_MS);
    // Those are not asked again; what the first of them said is the answer when nobody has a better one.
    const unable = new Map<string, PassedAnswer>();
    const ask = async (to: Member): Promise<PassedAnswer | null> => {
      const answer = await this.#call(request, to, over.signal).catch(() => null);
      if (answer?.status !== UNAVAILABLE) return answer;
      unable.set(to.name, answer);
      return null;
    };
    try {
      const answer = await firstInTurn(able, ask, {
        isOver: () => over.signal.aborted,
        mayAsk: ({ name }) => !unable.has(name),
        lateMs: () => LATE_MS,
      });
      return answer ?? [...unable.values()][0] ?? null;
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  async #call<Grant>(request: ClientRequest<Grant>, to: Member, signal: AbortSignal): Promise<PassedAnswer | null> {
    const { method, path, query } = request.head;
    let line = this.#lines.get(to.name);
    if (line === undefined) {
      line = new Turnstile(CALLS_MAX, WAITING_MAX);
      this.#lines.set(to.name, line);
    }
    const answer = await line.run(signal, () =>
      this.#parts.outgoing.pass({
        method,
        url: `${to.url}${path}${query === "" ? "" : `?${query}`}`,
        headers: { ...headersOf(request), [PASSED_ON_BY]: this.#parts.cluster.name },
        body: request.route.body === "wanted" ? request.body : null,
        timeoutMs: DEADLINE_MS,
        signal,
        answerBytesMax: ANSWER_BYTES_MAX,
      }),
    );
    return answer.headers[NOT_HERE] !== undefined || answer.isCut ? null : answer;
  }
}

/** The indexes that a request reads; none for one that writes, or that reads none; null where finding out takes long. */
function indexesOf<Grant>(request: ClientRequest<Grant>): string[] | null {
  const { action, path, paramNames } = request.route;
  if (WITH_BODIES.has(path)) return indexesIn(request.body);
  if (!paramNames.includes("index_uid")) return [];
  return request.head.method === "GET" || READING_POSTS.has(String(action)) ? [request.param("index_uid")] : [];
}

function indexesIn(body: Buffer): string[] | null {
  try {
    return isHeavy(body) ? null : indexesNamedIn(parseJson(body));
  } catch {
    // The one who answers says what is wrong with it.
    return [];
  }
}

function headersOf<Grant>({ head, minSequence }: ClientRequest<Grant>): Record<string, string> {
  const headers: Record<string, string> = {};
  const put = (name: string, value: string | null): void => {
    if (value !== null && value !== "") headers[name] = value;
  };
  put("authorization", head.authorization);
  put("x-service-api-key", head.serviceKey);
  put("content-type", head.contentType);
  put("accept-encoding", head.acceptEncoding);
  put("meili-include-metadata", head.includeMetadata);
  put("meili-proxy-search", head.proxySearch);
  if (minSequence > 0) headers["x-sabre-min-seq"] = String(minSequence);
  for (const [name, value] of head.others ?? []) put(name, value);
  return headers;
}

function answerOf({ status, headers, chunks }: PassedAnswer): Answer {
  const text = (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  const own = ["X-Sabre-Seq", "X-Sabre-Node"].flatMap((name) => {
    const value = text(name.toLowerCase());
    return value === null ? [] : [[name, value] as const];
  });
  return {
    status,
    contentType: text("content-type"),
    body: Buffer.concat(chunks),
    coding: CODINGS.find((coding) => coding === text("content-encoding")) ?? null,
    headers: own,
    isForwarded: true,
  };
}

function nobody(uids: readonly string[], name: string): ApiError {
  const indexes = uids.map((uid) => `\`${uid}\``).join(", ");
  return new ApiError(
    "internal",
    `The server \`${name}\` does not hold ${indexes}, and no other that does answers.`,
    503,
  );
}

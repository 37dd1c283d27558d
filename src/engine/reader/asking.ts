/**
 * How a request is answered that needs to know what lies on other servers: readers never wait, so one that lacks an answer says what
 * is to be asked and stops; the front asks, and has the request done anew by a reader that is told what came of it. A request is done
 * as often as it has rounds, and sees the same answers each time.
 */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { ApiError, type ErrorBody, internalError } from "../../base/errors/errors.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { decodeFramed } from "../link/framed.ts";
import { answersIn, encodeWanted, type Group, type PartAsk, type Told } from "../link/part-asks.ts";
import type { PartAnswerHead, PartQuestion, PartQuestions } from "../parts/questions.ts";

/** A request cannot go on before something is asked. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly asking: Asking;

  constructor(asking: Asking) {
    super("parts of an index are to be asked first");
    this.asking = asking;
  }
}

/**
 * Several things that are run one after the other, each as far as it can go: whoever has run all of them calls
 * `mustBeAnswered`, and all that they lack is asked at once.
 */
export class AsFarAsAnswered {
  #waiting: Unanswered | null = null;

  /** Null for what cannot go on. What fails behind such a one has not failed yet: that one may fail first. */
  run<Result>(run: () => Result): Result | null {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw this.#waiting ?? error;
      this.#waiting = error;
      return null;
    }
  }
}

export interface PartAnswer<Q extends PartQuestion> {
  answer: PartQuestions[Q]["answer"];
  pieces: Uint8Array[];
}

/** Parts that change while they are asked make a request begin anew, this often. */
const TRIES_MAX = 3;
const NOTHING_TOLD: Told = { groups: {}, tries: 0 };

interface KnownAnswer {
  status: number;
  bytes: Buffer;
}

export class Asking {
  readonly #told: Told;
  readonly #answers = new Map<string, KnownAnswer>();
  readonly #groups = new Map<string, string>();
  readonly #asks = new Map<string, PartAsk>();
  /** By index and group. */
  readonly #versions = new Map<string, number>();
  /** Of this server and of parts, in pairs. */
  readonly #contentVersions = new Map<string, [here: number, there: number]>();
  #isChanged = false;

  /** `answers`: one after the other. */
  constructor(told: Told = NOTHING_TOLD, answers: Uint8Array = Buffer.alloc(0)) {
    this.#told = told;
    const { buffer, byteOffset, length } = answers;
    for (const { body, key, status } of answersIn(Buffer.from(buffer, byteOffset, length))) {
      this.#answers.set(key, { status, bytes: Buffer.from(buffer, body.byteOffset, body.length) });
    }
  }

  /** How the index is divided. */
  groupsOf(view: IndexView): Group[] {
    const groups = this.#told.groups[view.id];
    if (groups !== undefined) return groups;
    this.#groups.set(view.id, view.uid);
    throw new Unanswered(this);
  }

  /** Null as long as it is not answered; `mustHave` or `mustBeAnswered` is to be called then. */
  answerOf<Q extends PartQuestion>(
    view: IndexView,
    group: number,
    question: Q,
    asked: PartQuestions[Q]["asked"],
    leftMs: number | null,
  ): PartAnswer<Q> | null {
    const body = Buffer.from(JSON.stringify({ question, asked }, asList));
    const place = `${view.id}/${group}`;
    const key = `${place} ${hash("sha1", body)}`;
    const known = this.#answers.get(key);
    if (known === undefined) {
      const { id, settingsVersion, uid: indexUid } = view;
      this.#asks.set(key, { key, id, indexUid, settingsVersion, group, leftMs, body });
      return null;
    }
    if (known.status !== 200) throw refusalIn(known);
    const { head, take } = decodeFramed<PartAnswerHead<PartQuestions[Q]["answer"]>>(known.bytes);
    const { answer, pieces, version } = head;
    const before = this.#versions.get(place);
    if (before !== undefined && before !== version) this.#isChanged = true;
    this.#versions.set(place, version);
    this.#contentVersions.set(place, [view.contentVersion, head.contentVersion]);
    return { answer, pieces: pieces.map(take) };
  }

  /** Whether all parts answered from the state that this server shows. */
  get isCurrent(): boolean {
    return [...this.#contentVersions.values()].every(([here, there]) => here === there);
  }

  /** Throws where one of these is null; what others of the same request lack keeps nobody from going on. */
  mustHave(answers: readonly unknown[]): void {
    if (answers.includes(null) || this.#mustBeginAnew) throw new Unanswered(this);
  }

  /** Throws where something is to be asked first. */
  mustBeAnswered(): void {
    if (this.#isWanting) throw new Unanswered(this);
  }

  get #isWanting(): boolean {
    return this.#asks.size > 0 || this.#groups.size > 0 || this.#mustBeginAnew;
  }

  get #mustBeginAnew(): boolean {
    return this.#isChanged && this.#told.tries < TRIES_MAX;
  }

  /** What is to be asked, for the front. */
  wanted(): Buffer {
    return encodeWanted({
      beginsAnew: this.#mustBeginAnew,
      groups: Array.from(this.#groups, ([id, indexUid]) => ({ id, indexUid })),
      asks: [...this.#asks.values()],
    });
  }
}

/** Numbers in a row are a list, however they are kept. */
function asList(_name: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value;
}

function refusalIn({ bytes, status }: KnownAnswer): ApiError {
  try {
    const { code, message } = JSON.parse(bytes.toString("utf8")) as ErrorBody;
    return new ApiError(code, message, status);
  } catch {
    return internalError(`a part of an index answered with status ${status}`);
  }
}

/**
 * The notes at one place of a board: a stream in the memory of one NATS server, the last message of each who leaves notes. It
 * has no copies, so nobody has to agree on anything for it: it is there as long as its server is, whoever leads the others, and
 * empty when its server was started again. Notes are left and read without anything that only the one that leads can give.
 */
import type { Sight } from "./board.ts";
import type { JetStreamClient, JetStreamManager } from "./nats-clients.ts";
import { Rounds } from "./rounds.ts";

interface NatsNotesParts {
  client: JetStreamClient;
  manager: JetStreamManager;
  place: number;
  stream: string;
  /** Of all notes; a name follows. */
  subject: string;
  see(sight: Sight): void;
}

/** One who does not answer by then is asked again with the next note. */
const ANSWER_MS_MAX = 1000;
const NAMES_MAX = 1024;
const WRONG_LAST_SEQUENCE = 10071;
/** Left by whoever finds that it is not there: it is as old as the place. No server has this name. */
const BEGINNING = "$beginning";

export class NatsNotes {
  readonly #parts: NatsNotesParts;
  readonly #rounds = new Rounds(() => this.#round());
  readonly #notes = new Map<string, string>();
  /** What is to be left next; only the last matters. */
  #next: { name: string; note: string } | null = null;
  /** That of the last note that was left here; 0 where there is none, null where nobody knows. */
  #sequence: number | null = null;
  #isNew = false;
  #ageMs = 0;

  constructor(parts: NatsNotesParts) {
    this.#parts = parts;
  }

  /** Resolves when it was left, or a later one, and seen. An empty one takes back what was left before. */
  put(name: string, note: string): Promise<void> {
    this.#next = { name, note };
    return this.look();
  }

  /** Resolves when the place was seen. */
  look(): Promise<void> {
    return this.#rounds.run();
  }

  get sight(): Sight {
    return { place: this.#parts.place, notes: new Map(this.#notes), isNew: this.#isNew, ageMs: this.#ageMs };
  }

  async #round(): Promise<void> {
    const next = this.#next;
    this.#next = null;
    if (next !== null) await this.#leave(next);
    await this.#read(next?.name ?? null);
    this.#parts.see(this.sight);
    this.#isNew = false;
  }

  /** A note that is not after the one that was left before it means that this one is lost, and others with it. */
  async #leave({ name, note }: { name: string; note: string }): Promise<void> {
    const { client, subject } = this.#parts;
    const after = this.#sequence;
    this.#sequence = null;
    const expect = after === null ? {} : { expect: { lastSubjectSequence: after } };
    try {
      const options = { timeout: ANSWER_MS_MAX, ...expect };
      this.#sequence = (await client.publish(`${subject}.${name}`, note, options)).seq;
      this.#isNew ||= after === null;
    } catch (problem) {
      if (after === null || (problem as { code?: number }).code !== WRONG_LAST_SEQUENCE) throw problem;
      await this.#leave({ name, note });
    }
  }

  /**
   * One that is replaced at the moment at which it is read may not come: what was known of it is still shown. How old the place is
   * was told by the clock of its server alone.
   */
  async #read(own: string | null): Promise<void> {
    const { manager, stream, subject } = this.#parts;
    const found = await manager.direct.getLastMessagesFor(stream, { multi_last: [`${subject}.*`], batch: NAMES_MAX });
    const timer = setTimeout(() => found.stop(new Error("NATS has not answered in time")), ANSWER_MS_MAX);
    let beganAt: number | null = null;
    let leftAt: number | null = null;
    try {
      for await (const message of found) {
        const name = message.subject.slice(subject.length + 1);
        if (name === own) leftAt = message.time.getTime();
        if (name === BEGINNING) beganAt = message.time.getTime();
        else if (message.data.byteLength > 0) this.#notes.set(name, message.string());
        else this.#notes.delete(name);
      }
    } finally {
      clearTimeout(timer);
    }
    if (own === null) return;
    this.#ageMs = beganAt === null || leftAt === null ? 0 : leftAt - beganAt;
    if (beganAt === null) await this.#begin();
  }

  /** Unless another server was quicker. */
  async #begin(): Promise<void> {
    const { client, subject } = this.#parts;
    const options = { timeout: ANSWER_MS_MAX, expect: { lastSubjectSequence: 0 } };
    await client.publish(`${subject}.${BEGINNING}`, "", options).catch((problem: { code?: number }) => {
      if (problem.code !== WRONG_LAST_SEQUENCE) throw problem;
    });
  }
}

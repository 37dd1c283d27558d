/**
 * Whom a commit, or a record of the journal, waits for. Where many write again as soon as they are answered, and the next one is begun as
 * soon as the one before it is there, one half of them waits while that of the other is on its way: twice as many as need be. Each commit
 * costs two syncs of the disk, and a record NATS and all servers as much as dozens of tasks. So those who are being answered are waited
 * for, unless more are answered that way: where there are processors enough, both halves are worked on at the same time.
 * Which of the two it is, is found out by trying both, now and then.
 */
import { within } from "../../base/time/within.ts";

/** Fewer cost little apart, and one alone never waits. */
const MANY = 8;
/** The last few may take long, and are part of the next one. */
const ENOUGH = 0.9;
/** Longest wait: so often as long as the acknowledgement took. */
const PATIENCE = 4;
const WAIT_MS_MAX = 40;
/** Commits or records of a trial, of which the first ones, in which halves form or join, do not count. */
const TRIAL = 32;
const NOT_COUNTED = 6;
/** Until the next trials. */
const SETTLED = 8 * TRIAL;
/** To be worth twice as many, so much more has to be answered. */
const WORTH = 1.15;

export class Company {
  #wanted = 0;
  #until = Number.NEGATIVE_INFINITY;
  #count = 0;
  #go: (() => void) | null = null;
  #isTogether = true;
  #stage: "together" | "apart" | "settled" = "together";
  /** Commits or records since it began. */
  #records = 0;
  #answered = 0;
  #countedFrom = 0;
  /** Answered a millisecond, when all were waited for. */
  #rateTogether = 0;

  /** One of so many is there, and others wait for the next one already. */
  appended(answered: number, others: number, tookMs: number): void {
    const all = answered + others;
    const now = performance.now();
    this.#wanted = all < MANY ? 0 : Math.ceil(all * ENOUGH);
    this.#until = now + Math.min(PATIENCE * tookMs, WAIT_MS_MAX);
    if (this.#wanted > 0) this.#judge(answered, now);
  }

  /** Resolves when enough have come, or it takes too long. */
  async gathered(count: number): Promise<void> {
    this.#count = count;
    const leftMs = this.#until - performance.now();
    if (this.#isTogether && count < this.#wanted && leftMs > 0) await this.#wait(leftMs);
  }

  /** Another one waits for the next. */
  joined(): void {
    if (this.#go !== null && ++this.#count >= this.#wanted) this.#go();
  }

  /** There is something else to do. */
  disperse(): void {
    this.#go?.();
  }

  async #wait(leftMs: number): Promise<void> {
    const called = new Promise<void>((resolve) => {
      this.#go = resolve;
    });
    await within(leftMs, called);
    this.#go = null;
  }

  #judge(answered: number, now: number): void {
    this.#records++;
    if (this.#records > NOT_COUNTED) this.#answered += answered;
    else this.#countedFrom = now;
    if (this.#records < (this.#stage === "settled" ? SETTLED : TRIAL)) return;
    const rate = this.#answered / (now - this.#countedFrom);
    this.#records = 0;
    this.#answered = 0;
    if (this.#stage === "together") {
      this.#rateTogether = rate;
      this.#stage = "apart";
    } else this.#stage = this.#stage === "apart" ? "settled" : "together";
    this.#isTogether = this.#stage === "settled" ? rate < this.#rateTogether * WORTH : this.#stage === "together";
  }
}

/**
 * Commits of many writers, one after the other: what arrives in one turn, or while a commit is under way, shares the next
 * one and its two syncs (`environment.ts`), and so do those who were just answered and write again at once (`company.ts`). A commit that fails fails for all who shared it, and nothing of it stays.
 *
 * Group commit: Gray, Reuter, "Transaction Processing".
 */
import { Company } from "./company.ts";
import type { Change } from "./environment.ts";

interface Waiting {
  /** Asked for when its turn has come. */
  changes(): readonly Change[];
  resolve(): void;
  reject(problem: unknown): void;
}

export class GroupCommits {
  readonly #commit: (changes: readonly Change[]) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  readonly #company = new Company();

  constructor(commit: (changes: readonly Change[]) => Promise<void>) {
    this.#commit = commit;
  }

  add(changes: () => readonly Change[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject });
      this.#company.joined();
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    await new Promise((resume) => setImmediate(resume));
    while (this.#waiting.length > 0) {
      await this.#company.gathered(this.#waiting.length);
      const { group, changes } = this.#take();
      try {
        const begin = performance.now();
        if (changes.length > 0) await this.#commit(changes);
        this.#company.appended(group.length, this.#waiting.length, performance.now() - begin);
        for (const { resolve } of group) resolve();
      } catch (problem) {
        for (const { reject } of group) reject(problem);
        // Whoever hears of it may take back what the next ones build upon.
        await new Promise((resume) => setImmediate(resume));
      }
    }
    this.#running = null;
  }

  #take(): { group: Waiting[]; changes: Change[] } {
    const group: Waiting[] = [];
    const changes: Change[] = [];
    for (const waiting of this.#waiting.splice(0)) {
      try {
        changes.push(...waiting.changes());
        group.push(waiting);
      } catch (problem) {
        waiting.reject(problem);
      }
    }
    return { group, changes };
  }
}

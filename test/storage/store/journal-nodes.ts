/** Servers that share a journal in memory, whose calls meet with the fates that a test gives them. */
import assert from "node:assert/strict";
import type { Journal } from "../../../src/storage/journal/journal.ts";
import type { Change } from "../../../src/storage/store/environment.ts";
import { StoreFault } from "../../../src/storage/store/fault.ts";
import type { Mark } from "../../../src/storage/store/journal-run.ts";
import { SharedCommits } from "../../../src/storage/store/shared-commits.ts";
import type { AppliedChanges } from "../../../src/storage/store/shared-host.ts";
import { NOTHING_BEFORE } from "../../../src/storage/store/transaction.ts";

/** What happens to the calls of a node, one after the other. */
export type Fate = "well" | "slow" | "failed" | "acknowledgement lost" | "late";

export const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

/** A journal in memory that several nodes see, each with fates of its own. */
export class Records {
  readonly list: Uint8Array[] = [];
  readonly #tell: (() => void)[] = [];

  append(number: number, record: Uint8Array): "appended" | "taken" {
    if (number !== this.list.length + 1) return "taken";
    this.list.push(record);
    for (const tell of this.#tell) tell();
    return "appended";
  }

  for(fates: readonly Fate[]): Journal {
    let calls = 0;
    const meet = async (): Promise<Fate> => {
      const fate = fates[calls++] ?? "well";
      if (fate === "slow") for (let i = 0; i < 3; i++) await turn();
      if (fate === "failed") throw new Error("not reached");
      return fate;
    };
    return {
      place: "memory",
      recordBytes: 100,
      first: async () => 1,
      last: async () => this.list.length,
      append: async (number, record) => {
        const fate = await meet();
        if (fate === "late") {
          // It arrives after the sender has given up.
          void turn().then(() => this.append(number, record));
          throw new Error("timed out");
        }
        const outcome = this.append(number, record);
        if (fate === "acknowledgement lost") throw new Error("timed out");
        return outcome;
      },
      read: async (number) => {
        await meet();
        return this.list[number - 1] ?? null;
      },
      onNews: (_after, tell) => this.#tell.push(tell),
      trim: async () => {},
      close: async () => {},
    };
  }
}

/** A server that gives consecutive numbers, as the task log does. */
export class Node {
  readonly tables = new Map<string, string>();
  readonly commits: SharedCommits;
  readonly acknowledged: string[] = [];
  readonly order: number[] = [];
  #mark: Mark = { number: 0, hash: NOTHING_BEFORE };
  #counting: Promise<unknown> = Promise.resolve();
  #next = 0;
  #given = -1;
  readonly #name: string;
  #term = 0;
  #leads = false;
  #begun = 0;

  constructor(name: string, journal: Journal, disk: readonly boolean[]) {
    this.#name = name;
    let commits = 0;
    this.commits = new SharedCommits(
      journal,
      {
        mark: () => this.#mark,
        commit: async (changes, mark) => {
          await turn();
          if (disk[commits++] === false) throw new StoreFault("refused", "ENOSPC", "full");
          assert.ok(mark.number > this.#mark.number);
          for (const { table, key, value } of changes) {
            if (value === null) this.tables.delete(`${table} ${key}`);
            else this.tables.set(`${table} ${key}`, Buffer.from(value).toString());
          }
          this.#mark = mark;
        },
      },
      {
        prepare: async () => {},
        placed: (changes) => {
          for (const { table, key } of changes) if (table === 0) this.#given = Math.max(this.#given, key as number);
          this.#next = this.#given + 1;
        },
        storing: () => {},
        applied: (run) => {
          for (const applied of run) this.#onApplied(applied);
        },
        regather: () => {
          this.#next = this.#given + 1;
        },
        onLost: (problem) => assert.fail(problem),
        onTrouble: () => {},
      },
      { waitMsMax: 60_000, pauseMs: 0 },
    );
    this.commits.start();
  }

  async enqueue(name: string): Promise<void> {
    let own = -1;
    await this.commits.add(() => {
      own = this.#next++;
      return [{ table: 0, key: own, value: Buffer.from(name) }];
    });
    this.acknowledged.push(`0 ${own}=${name}`);
  }

  /** Leads, unless another node has since it looked. */
  async claim(): Promise<void> {
    const judged = this.#term;
    await this.commits.add(() => {
      // One who leads has nothing to claim.
      if (this.#leads || this.#term !== judged) return [];
      return [{ table: 5, key: "leader", value: Buffer.from(`${judged + 1} ${this.#name}`) }];
    });
  }

  /** Commits as a leader does: of the term in which it has prepared it, and of no other. False when that is over. */
  async commit(): Promise<boolean> {
    const term = this.#term;
    const mayNot = (): StoreFault | null =>
      this.#leads && this.#term === term ? null : new StoreFault("refused", "EDEPOSED", "another one leads");
    const commit = `${term} ${this.#name} ${this.#begun++}`;
    try {
      await this.commits.add(() => [{ table: 6, key: commit, value: Buffer.from("done") }], { refusal: mayNot });
      this.acknowledged.push(`6 ${commit}=done`);
      return true;
    } catch (problem) {
      assert.equal((problem as StoreFault).code, "EDEPOSED");
      return false;
    }
  }

  /** Counts up a record that all nodes change, one after the other here. False when another node did so meanwhile. */
  count(): Promise<boolean> {
    const counted = this.#counting.then(() => this.#count());
    this.#counting = counted;
    return counted;
  }

  async #count(): Promise<boolean> {
    const next = Number(this.tables.get("4 n") ?? 0) + 1;
    const change: Change = { table: 4, key: "n", value: Buffer.from(String(next)) };
    try {
      await this.commits.add(() => [change], { isDecided: true });
      return true;
    } catch (problem) {
      assert.equal((problem as StoreFault).code, "ECONFLICT");
      return false;
    }
  }

  #onApplied({ number, changes }: AppliedChanges): void {
    this.order.push(number);
    for (const { table, value } of changes) {
      if (table !== 5) continue;
      const [term, name] = Buffer.from(value!).toString().split(" ");
      this.#term = Number(term);
      this.#leads = name === this.#name;
    }
  }
}

/**
 * One server of several that share their state: follows the journal, tells the parts of this server what others have
 * changed, and leads when it is its turn. Without it a server is as it always was.
 *
 *   open     before anything else is put together: all that the journal holds is made here
 *   attach   from then on the others are told of what changes
 */
import { randomUUID } from "node:crypto";
import type { Log } from "../../base/log/log.ts";
import type { KeyRing } from "../../engine/auth/keys.ts";
import { isShown } from "../../engine/writer/follower.ts";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import type { Board } from "../../storage/journal/board.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import type { Change } from "../../storage/store/environment.ts";
import { StoreFault } from "../../storage/store/fault.ts";
import type { AppliedChanges, SharedHost } from "../../storage/store/shared-commits.ts";
import { type OwnStore, openStore } from "../../storage/store/store.ts";
import { type TableName, tablePosition } from "../../storage/store/tables.ts";
import type { TaskLog } from "../../storage/tasks/log.ts";
import type { ClusterView, LeaderRecord, Member, Note } from "../front/cluster-view.ts";
import type { FeatureFlags } from "../front/state/features.ts";
import type { Network } from "../front/state/network.ts";
import type { SearchRules } from "../front/state/rules.ts";
import type { WriterLink } from "../front/writer-link.ts";
import { OptionError } from "../options/options.ts";
import { CheckpointKeeper } from "./checkpoint-keeper.ts";
import { type Checkpoints, markOf } from "./checkpoints.ts";
import { bytesOf, type ClusterFiles } from "./files.ts";
import { Members } from "./leadership.ts";

/** Where all servers of a cluster meet. */
interface ClusterPlace {
  journal: Journal;
  board: Board;
  blobs: BlobsPlace;
  files: ClusterFiles;
  checkpoints: Checkpoints;
  /** Between two checkpoints. */
  checkpointMs: number;
  /** Closes what the place itself has open. */
  close(): Promise<void>;
}

/** The parts of this server that hold in memory what others may change. */
interface ClusterHooks {
  tasks: TaskLog;
  keys: KeyRing | null;
  features: FeatureFlags;
  network: Network;
  rules: SearchRules;
  writer: WriterLink;
}

const LEADER = "leader";
const BEAT_MS = 500;
/** Two that have the same name would be taken for one: whoever starts looks so long whether it is in use. */
const SAME_NAME_MS = 1500;
/** The same trouble is told once in so long. */
const TROUBLE_MS = 10_000;

const [TASKS, BATCHES, KEYS, FEATURES, NETWORK, RULES, META] = (
  ["tasks", "batches", "keys", "features", "network", "rules", "meta"] satisfies TableName[]
).map(tablePosition) as [number, number, number, number, number, number, number];

export class ClusterNode implements SharedHost, ClusterView {
  readonly name: string;
  readonly #boot = randomUUID();
  readonly #place: ClusterPlace;
  readonly #version: string;
  readonly #log: Log;
  readonly #members = new Members();
  #store: OwnStore | null = null;
  #tasks: TaskLog | null = null;
  #hooks: ClusterHooks | null = null;
  /** What happened before there was anybody to tell. */
  #early: AppliedChanges[] = [];
  #leader: LeaderRecord | null = null;
  #isOpen = false;
  #isStopping = false;
  #beats = 0;
  #url: string | null = null;
  #beating: NodeJS.Timeout | null = null;
  #keeper: CheckpointKeeper | null = null;
  #shown = 0;
  /** Records whose tasks may be told of once they are shown. */
  #unshown: { number: number; changes: readonly Change[] }[] = [];
  readonly #troubles = new Map<string, number>();

  constructor(name: string, version: string, place: ClusterPlace, log: Log) {
    this.name = name;
    this.#version = version;
    this.#place = place;
    this.#log = log;
  }

  get shared(): { journal: Journal; host: SharedHost } {
    return { journal: this.#place.journal, host: this };
  }

  get leader(): LeaderRecord | null {
    return this.#leader;
  }

  get leads(): boolean {
    return this.#leader?.boot === this.#boot;
  }

  members(): Member[] {
    return this.#members.all(performance.now());
  }

  /** What the writer thread is started with. */
  get writerStart(): { leads: boolean; blobs: BlobsPlace } {
    return { leads: this.leads, blobs: this.#place.blobs };
  }

  /** Says why a writer that is started now may not write: from the moment on when another server leads. */
  refusal(): () => StoreFault | null {
    const term = this.leads ? this.#leader!.term : null;
    return () =>
      this.leads && this.#leader!.term === term
        ? null
        : new StoreFault("refused", "EDEPOSED", "another server leads the cluster");
  }

  /** Before the store is opened: a new server, or one that was away for too long, begins with the last checkpoint. */
  async join(storePath: string): Promise<void> {
    const { journal, checkpoints } = this.#place;
    const mark = await markOf(storePath);
    const first = await journal.first();
    if (mark !== null && mark + 1 >= first) return;
    const [newest] = await checkpoints.list();
    if (newest === undefined || newest.number + 1 < first) {
      if (first === 1) return;
      throw new OptionError(
        `the journal ${journal.place} begins with record ${first}, and no checkpoint leads up to it`,
      );
    }
    if (mark === null && (await holdsData(storePath))) return;
    this.#log.info("cluster", "the store is begun with a checkpoint", { record: newest.number });
    await checkpoints.fetch(newest, storePath);
  }

  /** Brings the store up to where the journal is. */
  async open(store: OwnStore): Promise<void> {
    const { journal, files } = this.#place;
    this.#store = store;
    const mark = store.mark();
    if (mark === null && (store.catalog.count() > 0 || store.tasks.count() > 0)) {
      throw new OptionError(
        "the database holds data of a server on its own: a cluster begins with an empty one, into which data can be imported",
      );
    }
    const last = await journal.last();
    if (mark !== null && last < mark.number) {
      throw new OptionError(
        `the journal ${journal.place} ends with record ${last}, but the database has followed one up to record ${mark.number}`,
      );
    }
    await this.#mustBeAlone();
    this.#leader = this.#storedLeader();
    files.sweep(store);
    await files.bringAll(store);
    store.shared!.start();
    await store.shared!.reached(last);
    this.#isOpen = true;
    this.#shown = last;
    await this.#beat();
  }

  /** Right after they were read from the store. */
  attachTasks(tasks: TaskLog): void {
    this.#tasks = tasks;
  }

  attach(hooks: ClusterHooks): void {
    this.#hooks = hooks;
    for (const applied of this.#early.splice(0)) this.applied(applied);
    this.#beating = setInterval(() => void this.#beat(), BEAT_MS);
    this.#keeper = new CheckpointKeeper({
      ...this.#place,
      store: this.#store!,
      intervalMs: this.#place.checkpointMs,
      leads: () => this.leads,
      members: () => this.members(),
      onTrouble: (problem) => this.onTrouble(problem),
      log: this.#log,
    });
  }

  /** From now on others reach this server there. */
  onListening(url: string): void {
    this.#url = url;
    void this.#beat();
  }

  /** The writer shows what the records up to this one have changed. */
  onFollowed(number: number): void {
    const { tasks } = this.#hooks!;
    while (this.#unshown.length > 0 && this.#unshown[0]!.number <= number) {
      const { changes } = this.#unshown.shift()!;
      const changed = changes.filter(({ table }) => table === TASKS);
      const batch = changes.find(({ table, value }) => table === BATCHES && value !== null);
      const bytes = changed.map((change) => ({ uid: change.key as number, bytes: bytesOf(change) }));
      tasks.onChangedElsewhere(bytes, batch === undefined ? null : (batch.key as number));
      void this.#place.files.dropFor(changed).catch((problem) => this.onTrouble(problem));
    }
    this.#shown = Math.max(this.#shown, number);
  }

  /** Gives the lead back, so that another server need not wait until this one is missed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#beating !== null) clearInterval(this.#beating);
    await this.#keeper?.stop();
    const { leads } = this;
    const term = this.#leader?.term ?? 0;
    const store = this.#store;
    if (leads && store !== null) {
      await store
        .writeInTurn(() => {
          if (this.leads) putLeader(store, { term: term + 1, node: null, boot: null });
        })
        .catch((problem) => this.onTrouble(problem));
    }
    await this.#place.board.remove(this.name).catch(() => {});
  }

  /** After the store is closed. */
  async close(): Promise<void> {
    await this.#place.journal.close();
    await this.#place.board.close();
    await this.#place.close();
  }

  sharePayload(name: string): Promise<void> {
    return this.#place.files.sharePayload(name);
  }

  // What the store asks of its host.

  async prepare(changes: readonly Change[]): Promise<void> {
    await this.#place.files.bringFor(changes);
  }

  applied(applied: AppliedChanges): void {
    const { number, changes, isOwn } = applied;
    let bytes = 0;
    for (const { table, key, value } of changes) {
      bytes += value?.byteLength ?? 0;
      if (table === TASKS && value !== null) this.#tasks?.onGiven(key as number);
      if (table === META && key === LEADER) this.#onLeader();
    }
    this.#keeper?.written(bytes);
    const hooks = this.#hooks;
    if (hooks === null) {
      if (this.#isOpen) this.#early.push(applied);
      return;
    }
    if (isOwn || this.leads) this.#shown = number;
    if (isOwn) return;
    this.#tellOfNewTasks(changes, hooks);
    this.#tellOfState(changes, hooks);
    if (this.leads) return;
    this.#unshown.push({ number, changes: changes.filter(({ table }) => table === TASKS || table === BATCHES) });
    hooks.writer.follow(number, changes.filter(isShown).map(ownCopy));
  }

  regather(): void {
    this.#tasks?.onRegather();
  }

  onLost(problem: Error): void {
    this.#log.error("cluster", "this server no longer follows its cluster; it stops", { cause: problem.message });
    queueMicrotask(() => {
      throw problem;
    });
  }

  onTrouble(problem: Error): void {
    const now = performance.now();
    if (now - (this.#troubles.get(problem.message) ?? Number.NEGATIVE_INFINITY) < TROUBLE_MS) return;
    this.#troubles.set(problem.message, now);
    this.#log.warn("cluster", "something fails and is tried again", { cause: problem.message });
  }

  #tellOfNewTasks(changes: readonly Change[], { tasks }: ClusterHooks): void {
    for (const change of changes) {
      if (change.table !== TASKS || change.value === null || tasks.table.has(change.key as number)) continue;
      tasks.onEnqueuedElsewhere(change.key as number, bytesOf(change)!);
    }
  }

  #tellOfState(changes: readonly Change[], { keys, features, network, rules }: ClusterHooks): void {
    for (const { table, key } of changes) {
      if (table === KEYS) keys?.onChangedElsewhere(key as string);
      else if (table === FEATURES) features.onChangedElsewhere();
      else if (table === NETWORK) network.onChangedElsewhere();
      else if (table === RULES) rules.forget();
    }
  }

  #onLeader(): void {
    const before = this.leads;
    const termBefore = this.#leader?.term;
    this.#leader = this.#storedLeader();
    const { term = 0, node = null } = this.#leader ?? {};
    if (term === termBefore) return;
    if (before !== this.leads) this.#hooks?.writer.replace(true);
    if (node !== null) this.#log.info("cluster", "a server leads", { node, term, isThisOne: this.leads });
    // Given back: nobody has to be missed first.
    else if (this.#hooks !== null) void this.#beat();
  }

  #storedLeader(): LeaderRecord | null {
    const store = this.#store!;
    store.refresh();
    return (store.meta.get(LEADER) as unknown as LeaderRecord | undefined) ?? null;
  }

  /** Leaves a note, reads those of the others, and leads when nobody else does. */
  async #beat(): Promise<void> {
    if (this.#isStopping) return;
    const { board } = this.#place;
    const applied = this.#store!.shared!.mark.number;
    const note: Note = {
      ...{ boot: this.#boot, count: ++this.#beats, applied, shown: this.#shown },
      ...{ url: this.#url, version: this.#version, at: Date.now() },
    };
    try {
      await board.put(this.name, JSON.stringify(note));
      this.#members.hear(parsed(await board.all()), performance.now());
      const self = { name: this.name, boot: this.#boot };
      if (this.#members.mayReplace(this.#leader, self, performance.now())) await this.#claim(this.#leader);
    } catch (problem) {
      this.onTrouble(problem as Error);
    }
  }

  /** Unless another server has led since. */
  async #claim(judged: LeaderRecord | null): Promise<void> {
    const store = this.#store!;
    await store.writeInTurn(() => {
      if (this.#leader?.term !== judged?.term) return;
      putLeader(store, { term: (judged?.term ?? 0) + 1, node: this.name, boot: this.#boot });
    });
  }

  async #mustBeAlone(): Promise<void> {
    const noteOf = async (): Promise<string | undefined> => (await this.#place.board.all()).get(this.name);
    const before = await noteOf();
    if (before === undefined) return;
    await new Promise((resume) => setTimeout(resume, SAME_NAME_MS));
    if ((await noteOf()) === before) return;
    throw new OptionError(
      `another server of the cluster has the name \`${this.name}\`: give each its own (--cluster-node)`,
    );
  }
}

/** Whether there is anything that a server on its own has written. */
async function holdsData(storePath: string): Promise<boolean> {
  const store = openStore(storePath);
  try {
    return store.catalog.count() > 0 || store.tasks.count() > 0;
  } finally {
    await store.close();
  }
}

function putLeader(store: OwnStore, leader: LeaderRecord): void {
  store.meta.put(LEADER, { ...leader });
}

function parsed(notes: ReadonlyMap<string, string>): Map<string, Note> {
  return new Map([...notes].map(([name, note]) => [name, JSON.parse(note) as Note]));
}

/** Without the rest of the record that it came in: messages to threads take along all of the memory that they refer to. */
function ownCopy({ table, key, value }: Change): Change {
  return { table, key, value: value === null ? null : new Uint8Array(value) };
}

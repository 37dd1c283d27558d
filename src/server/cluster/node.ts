/**
 * One server of several that share their state: follows the journal, tells the parts of this server what others have
 * changed, and leads when it is its turn. Without it a server is as it always was.
 *
 *   open     before anything else is put together: all that the journal holds is made here
 *   attach   from then on the others are told of what changes
 */
import { randomUUID } from "node:crypto";
import type { Log } from "../../base/log/log.ts";
import { within } from "../../base/time/within.ts";
import { isShown } from "../../engine/writer/follower.ts";
import type { WriterStart } from "../../engine/writer/messages.ts";
import { addTraffic, type Traffic } from "../../storage/blobs/measured.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import { Rounds } from "../../storage/journal/rounds.ts";
import type { Change } from "../../storage/store/environment.ts";
import { StoreFault } from "../../storage/store/fault.ts";
import { lastOf } from "../../storage/store/journal-run.ts";
import type { AppliedChanges, SharedHost } from "../../storage/store/shared-host.ts";
import type { OwnStore } from "../../storage/store/store.ts";
import { tablePosition } from "../../storage/store/tables.ts";
import type { TaskLog } from "../../storage/tasks/log.ts";
import type { ClusterCounts, ClusterView, LeaderRecord, Member, Progress } from "../front/cluster-view.ts";
import type { WriterLink } from "../front/writer-link.ts";
import { Askable } from "./askable.ts";
import { Attendance, READY_MS_MAX } from "./attendance.ts";
import {
  batchIn,
  type ChangedParts,
  ownCopy,
  resultsIn,
  tasksIn,
  tellOfResults,
  tellOfStored,
} from "./changed-parts.ts";
import { CheckpointKeeper } from "./checkpoint-keeper.ts";
import { Holdings } from "./holdings.ts";
import { isOnItsOwn, mustBeAlone, mustFit } from "./joining.ts";
import { leaderIn, storedLeader, writeLeader } from "./leader-record.ts";
import { successor } from "./leadership.ts";
import type { ClusterPlace, NodeFacts } from "./parts.ts";
import { Placement } from "./placement.ts";
import { showRunning, toldOf } from "./running-batches.ts";
import { seedCluster } from "./seed.ts";
import type { Needs } from "./shown-records.ts";
import { Troubles } from "./troubles.ts";

/** The parts of this server that hold in memory what others may change. */
interface ClusterHooks extends ChangedParts {
  writer: WriterLink;
}

const MANIFESTS = tablePosition("manifests");

export class ClusterNode implements SharedHost, ClusterView {
  readonly name: string;
  readonly askable: Askable;
  readonly #boot = randomUUID();
  readonly #place: ClusterPlace;
  readonly #shards: number;
  readonly #log: Log;
  readonly #attendance: Attendance;
  readonly #placement: Placement;
  readonly #holdings: Holdings;
  #store: OwnStore | null = null;
  #tasks: TaskLog | null = null;
  #hooks: ClusterHooks | null = null;
  /** What happened before there was anybody to tell, in order. */
  #early: (() => void)[] = [];
  /** The term in which the writer that was started last leads; null for one that follows. */
  #writerTerm: number | null = null;
  #leader: LeaderRecord | null = null;
  #isOpen = false;
  #keeper: CheckpointKeeper | null = null;
  readonly #troubles: Troubles;
  /** Of several who want to know all that is there, one asks for all. */
  readonly #catchingUp = new Rounds(async () => this.#store!.shared!.reached(await this.#place.journal.last()));

  constructor({ name, version, waitsForAll, copies, shards, mayLead }: NodeFacts, place: ClusterPlace, log: Log) {
    this.name = name;
    this.#shards = shards;
    this.#place = place;
    this.#log = log;
    this.#troubles = new Troubles(log);
    this.#attendance = new Attendance({
      ...{ name, version, waitsForAll, boot: this.#boot },
      ...{ board: place.board, journal: place.journal },
      applied: () => this.stored,
      leader: () => this.#leader,
      claim: (judged) => (mayLead ? this.#claim(judged) : Promise.resolve()),
      running: () => (this.leads ? toldOf(this.#hooks?.tasks.running ?? []) : []),
      onHeard: () => this.#onHeard(),
      onTrouble: (problem) => this.onTrouble(problem),
    });
    this.#placement = new Placement(name, copies);
    this.#holdings = new Holdings({
      placement: this.#placement,
      files: place.files,
      store: () => this.#store!,
      leads: () => this.leads,
      tell: (elsewhere) => this.#hooks?.writer.place(elsewhere),
      onTrouble: (problem) => this.onTrouble(problem),
    });
    this.askable = new Askable({
      ...{ name, placement: this.#placement, holdings: this.#holdings },
      members: () => this.members(),
      leader: () => this.#leader,
    });
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

  get progress(): Progress {
    return this.#attendance.progress;
  }

  get mayAnswer(): boolean {
    return this.#attendance.mayAnswer;
  }

  get isWell(): boolean {
    return this.#attendance.isWell;
  }

  members(): Member[] {
    return this.#attendance.members();
  }

  get stored(): number {
    return this.#store?.shared?.mark.number ?? 0;
  }

  get shown(): number {
    return this.#attendance.records.shown;
  }

  get counts(): ClusterCounts {
    const { sent, brought } = this.#place.shared;
    return { refused: this.#store?.shared?.refused ?? 0, sent, brought };
  }

  /** The writer thread has put files where the others find them. */
  onShared(traffic: Traffic): void {
    addTraffic(this.#place.shared.sent, traffic);
  }

  ready(number: number): Promise<boolean> {
    return this.#attendance.ready(number);
  }

  async caughtUp(): Promise<boolean> {
    let isDone = false;
    const done = this.#catchingUp.run().then(
      () => {
        isDone = true;
      },
      (problem) => this.onTrouble(problem),
    );
    await within(READY_MS_MAX, done);
    return isDone;
  }

  /** What the writer thread is started with. */
  writerStart(): NonNullable<WriterStart["shared"]> {
    this.#writerTerm = this.#ownTerm;
    const { blobs } = this.#place;
    return { leads: this.leads, blobs, elsewhere: this.#holdings.elsewhere(), shards: this.#shards };
  }

  /** Who leads has the files of all indexes before its writer starts. */
  async beforeWriter(): Promise<void> {
    if (this.leads) await this.#holdings.takeAll();
  }

  /** Says why a writer that is started now may not write: from the moment on when another server leads. */
  refusal(): () => StoreFault | null {
    const term = this.#ownTerm;
    return () =>
      term !== null && this.#ownTerm === term
        ? null
        : new StoreFault("refused", "EDEPOSED", "another server leads the cluster");
  }

  /** Brings the store up to where the journal is. */
  async open(store: OwnStore): Promise<void> {
    const { journal, files, board } = this.#place;
    this.#store = store;
    const { checkpoints, shared: blobs, databasePath } = this.#place;
    await mustBeAlone(this.name, board);
    // What comes from a checkpoint before the first record looks the same.
    if (isOnItsOwn(store) && !this.#place.isJoined) {
      await seedCluster({ store, journal, checkpoints, blobs, databasePath, log: this.#log });
    }
    const last = await mustFit(store, journal);
    this.#leader = storedLeader(store);
    const names = (await board.look()).flatMap(({ notes }) => [...notes.keys()]);
    this.#placement.heard(names, performance.now());
    const wants = (piece: number): boolean => this.#holdings.wants(piece);
    if (!this.#place.isJoined) this.#holdings.resume(files.piecesHere(store), performance.now());
    files.sweep(store, wants);
    await files.bringAll(store, wants);
    store.shared!.start();
    await store.shared!.reached(last);
    this.#isOpen = true;
    this.#attendance.records.applied(store.shared!.mark.number, "writer", null);
    await this.#attendance.beat();
    await this.beforeWriter();
  }

  /** Right after they were read from the store. */
  attachTasks(tasks: TaskLog): void {
    this.#tasks = tasks;
  }

  attach(hooks: ClusterHooks): void {
    this.#hooks = hooks;
    for (const happen of this.#early.splice(0)) happen();
    this.#mindWriter(hooks.writer);
    this.#attendance.start();
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
    this.#attendance.onListening(url);
  }

  /** The writer thread is ready: it shows all that was stored when it began, up to this record. */
  onWriterReady(number: number): void {
    this.#attendance.opened();
    this.onFollowed(number);
  }

  /** The writer shows what the records up to this one have changed. */
  onFollowed(number: number): void {
    this.#inOrder(() => {
      this.#attendance.records.followed(number);
      this.#attendance.progressed();
    });
  }

  /** The writer of this server, which leads, has published a batch: `show` tells of it when all servers have. */
  onFinished(batch: number, show: () => void): void {
    this.#inOrder(() => {
      this.#attendance.records.finished(batch, show);
      this.#attendance.progressed();
    });
  }

  /** Gives the lead back, so that another server need not wait until this one is missed. */
  async stop(): Promise<void> {
    this.#attendance.stop();
    await this.#keeper?.stop();
    const store = this.#store;
    if (this.leads && store !== null) {
      const nobody = (): LeaderRecord => ({ term: this.#leader!.term + 1, node: null, boot: null });
      await writeLeader(store, () => (this.leads ? nobody() : null)).catch((problem) => this.onTrouble(problem));
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
    await this.#place.files.bringFor(changes, (piece) => this.#holdings.wants(piece));
  }

  placed(changes: readonly Change[]): void {
    for (const uid of tasksIn(changes)) this.#tasks?.onGiven(uid);
  }

  /** What is finished shows no earlier than searches see it, whoever reads the tables meanwhile. */
  storing(changes: readonly Change[]): void {
    if (batchIn(changes) !== null) this.#tasks?.withhold(tasksIn(changes));
  }

  applied(run: readonly AppliedChanges[]): void {
    const shown: AppliedChanges[] = [];
    for (const applied of run) {
      this.#notice(applied.changes);
      // What is stored by then is read from the store by those who would be told.
      if (!this.#isOpen) continue;
      const { leads } = this;
      this.#inOrder((hooks) => {
        if (!applied.isOwn) tellOfStored(applied.changes, hooks);
        if (this.#await(applied, leads, hooks) === "writer") shown.push(applied);
      });
    }
    if (!this.#isOpen) return;
    this.#inOrder(({ writer }) => {
      // One that leads by now has a writer that begins with all of it.
      if (shown.length > 0 && !this.leads) this.#show(shown, writer);
      this.#attendance.progressed();
    });
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
    this.#troubles.tell(problem);
  }

  /** When there is somebody to tell, after what happened before. */
  #inOrder(happen: (hooks: ClusterHooks) => void): void {
    if (this.#hooks === null) this.#early.push(() => happen(this.#hooks!));
    else happen(this.#hooks);
  }

  #notice(changes: readonly Change[]): void {
    for (const change of changes) this.#onLeader(leaderIn(change));
    this.#keeper?.written(changes.reduce((bytes, { value }) => bytes + (value?.byteLength ?? 0), 0));
  }

  /** Says what has to happen until searches see a record, and what is told then. `leads`: whether this server did when it was stored. */
  #await({ number, changes, isOwn }: AppliedChanges, leads: boolean, hooks: ClusterHooks): Needs {
    const batch = batchIn(changes);
    const isFollowed = !isOwn && !leads;
    const results = batch === null ? [] : resultsIn(changes);
    const finished = tasksIn(results);
    const release = (show: (() => void) | null): void => {
      hooks.tasks.letGo(finished);
      if (show !== null) {
        show();
        return;
      }
      tellOfResults(results, hooks, !isFollowed);
      void this.#place.files.dropFor(results).catch((problem) => this.onTrouble(problem));
    };
    // Who leads has run the batch, also where somebody else whose change is in the same record was told that it is uncertain.
    const own = batch === null ? "nothing" : { batch };
    const needs = !isFollowed ? own : changes.some(isShown) ? "writer" : "nothing";
    this.#attendance.records.applied(number, needs, results.length > 0 ? release : null);
    return needs;
  }

  /** What these have changed, and later ones of them not again. */
  #show(shown: readonly AppliedChanges[], writer: WriterLink): void {
    const changes = lastOf(shown).filter(isShown);
    const changed = changes.flatMap(({ table, key }) => (table === MANIFESTS ? [key as number] : []));
    writer.follow(shown.at(-1)!.number, changes.map(ownCopy), this.#holdings.elsewhere(changed));
  }

  /** Only where somebody can be told of it. */
  #onHeard(): void {
    if (this.#hooks === null) return;
    const members = this.members();
    if (!this.leads) showRunning(this.#leader, members, this.progress.applied, this.#hooks.tasks);
    const live = members.flatMap(({ name, isLive }) => (isLive ? [name] : []));
    this.#holdings.heard(live, performance.now());
  }

  /** Each has a greater term than the one before. */
  #onLeader(leader: LeaderRecord | null): void {
    if (leader === null || leader.term <= (this.#leader?.term ?? 0)) return;
    this.#leader = leader;
    const { term, node } = leader;
    if (this.#hooks !== null) this.#mindWriter(this.#hooks.writer);
    if (node !== null) this.#log.info("cluster", "a server leads", { node, term, isThisOne: this.leads });
    // Given back: nobody has to be missed first.
    else if (this.#hooks !== null) void this.#attendance.beat();
  }

  /** A writer leads in the term in which it was started, and in no other. */
  #mindWriter(writer: WriterLink): void {
    if (this.#writerTerm !== this.#ownTerm) writer.replace(true);
  }

  /** The term in which this server leads; null while another one does. */
  get #ownTerm(): number | null {
    return this.leads ? this.#leader!.term : null;
  }

  /** Unless another server has led since, or this one does. */
  #claim(judged: LeaderRecord | null): Promise<void> {
    const self = { name: this.name, boot: this.#boot };
    return writeLeader(this.#store!, () => successor(this.#leader, judged, self));
  }
}

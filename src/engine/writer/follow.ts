/** Runs a follower in the writer thread until it is told to stop. */
import path from "node:path";
import type { MessagePort } from "node:worker_threads";
import type { Publisher } from "../../storage/index/publish.ts";
import type { Control } from "../../storage/memory/control.ts";
import { collectGarbageSoon } from "../../storage/memory/garbage.ts";
import type { RemoteStore } from "../../storage/store/store.ts";
import { Follower } from "./follower.ts";
import type { FromWriter, ToWriter, WriterStart } from "./messages.ts";
import { RetiredFiles } from "./retired-files.ts";

const IDLE_INTERVAL_MS = 500;

interface FollowParts {
  start: WriterStart;
  store: RemoteStore;
  publisher: Publisher;
  control: Control;
  port: MessagePort;
  say(message: FromWriter): void;
  onArenaReady(arena: number): void;
  /** Memory that is moved at once, so that nothing waits for long. */
  evacuatedBytes: number;
  close(): void;
}

export async function follow(parts: FollowParts): Promise<void> {
  const { start, store, publisher, control, port, say } = parts;
  const follower = new Follower({
    store,
    publisher,
    files: new RetiredFiles(control),
    folder: path.join(start.databasePath, "indexes"),
    elsewhere: start.shared?.elsewhere ?? [],
    onProblem: (uid, problem) =>
      say({ kind: "log", level: "error", message: `index \`${uid}\` cannot be served: ${problem}` }),
  });
  /** Whether something was shown since it was looked last, and since garbage was collected. */
  let isBusy = false;
  let hasGarbage = false;
  let opened: Promise<void> = Promise.resolve();
  const tidying = setInterval(() => {
    // A collection takes as long as several records do: it waits for a pause, in which the engine would not collect by itself.
    if (!isBusy && hasGarbage) collectGarbageSoon();
    hasGarbage = isBusy;
    isBusy = false;
    publisher
      .evacuate(parts.evacuatedBytes)
      .catch((problem) => say({ kind: "log", level: "warn", message: `memory could not be given back: ${problem}` }));
  }, IDLE_INTERVAL_MS);
  port.on("message", (message: ToWriter) => {
    if (message.kind === "arenaReady") parts.onArenaReady(message.arena);
    if (message.kind === "stop") void stop();
    if (message.kind === "wanted") follower.want(message.uid);
    if (message.kind === "place") void opened.then(() => follower.place(message.elsewhere));
    if (message.kind !== "follow") return;
    isBusy = true;
    const { number, changes, elsewhere } = message;
    void opened.then(() => follower.follow(number, changes, elsewhere)).then(() => say({ kind: "followed", number }));
  });
  opened = (start.memories.size > 0 ? publisher.adopt(start.memories) : Promise.resolve()).then(() =>
    follower.open(() => say({ kind: "shown" })),
  );
  await opened;
  say({ kind: "ready", number: follower.number });

  async function stop(): Promise<void> {
    clearInterval(tidying);
    await store.close();
    parts.close();
    say({ kind: "stopped" });
    port.close();
  }
}

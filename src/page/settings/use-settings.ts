/** The settings of an index, read and saved. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, indexPath } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { Settings } from "../api/types.ts";
import { key } from "../state/key.ts";
import { write } from "../state/notices.ts";

export interface SavedSettings {
  /** Null until they are known. */
  saved: Signal<Settings | null>;
  problem: Signal<RequestProblem | null>;
  save(update: Settings): Promise<void>;
}

export function useSettings(uid: string): SavedSettings {
  const saved = useSignal<Settings | null>(null);
  const problem = useSignal<RequestProblem | null>(null);
  const read = async (): Promise<void> => {
    try {
      saved.value = await ask<Settings>("GET", indexPath(uid, "/settings"));
      problem.value = null;
    } catch (error) {
      problem.value = problemOf(error);
    }
  };
  const save = async (update: Settings): Promise<void> => {
    await write(`Settings of ${uid}`, "PATCH", indexPath(uid, "/settings"), update);
    await read();
  };
  useEffect(() => void read(), [uid, key.value]);
  return { saved, problem, save };
}

/** The settings of an index, read and saved. */
import type { Signal } from "@preact/signals";
import { indexPath } from "../api/client.ts";
import type { RequestProblem } from "../api/problem.ts";
import type { Settings } from "../api/types.ts";
import { write } from "../state/notices.ts";
import { useAnswer } from "../state/use-answer.ts";

interface SavedSettings {
  /** Null until they are known. */
  saved: Signal<Settings | null>;
  problem: Signal<RequestProblem | null>;
  save(update: Settings): Promise<void>;
}

export function useSettings(uid: string): SavedSettings {
  const path = indexPath(uid, "/settings");
  const { answer, problem, read } = useAnswer<Settings>(path);
  const save = async (update: Settings): Promise<void> => {
    await write(`Settings of ${uid}`, "PATCH", path, update);
    await read();
  };
  return { saved: answer, problem, save };
}

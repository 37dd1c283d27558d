/** Something read from the server when a part of the page is shown, and again when asked to. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import { key } from "./key.ts";

interface ReadAnswer<T> {
  /** Null until it is known. */
  answer: Signal<T | null>;
  problem: Signal<RequestProblem | null>;
  read(): Promise<void>;
}

export function useAnswer<T>(path: string): ReadAnswer<T> {
  const answer = useSignal<T | null>(null);
  const problem = useSignal<RequestProblem | null>(null);
  const read = async (): Promise<void> => {
    try {
      answer.value = await ask<T>("GET", path);
      problem.value = null;
    } catch (error) {
      problem.value = problemOf(error);
    }
  };
  useEffect(() => void read(), [path, key.value]);
  return { answer, problem, read };
}

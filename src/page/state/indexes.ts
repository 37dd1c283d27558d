/** The indexes there are, with their numbers; read anew when a task may have changed them. */
import { effect, signal } from "@preact/signals";
import { ask } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { IndexInfo, Page, Stats } from "../api/types.ts";
import { key } from "./key.ts";

/** More than anybody picks from a list. */
const LISTED_MAX = 1000;

/** Null until they are known. */
export const indexes = signal<IndexInfo[] | null>(null);
/** Null until it is known, or where the key may not see it. */
export const stats = signal<Stats | null>(null);
export const indexesProblem = signal<RequestProblem | null>(null);

export async function readIndexes(): Promise<void> {
  try {
    const { results } = await ask<Page<IndexInfo>>("GET", `/indexes?limit=${LISTED_MAX}`);
    indexes.value = results;
    indexesProblem.value = null;
  } catch (error) {
    indexesProblem.value = problemOf(error);
    return;
  }
  stats.value = await ask<Stats>("GET", "/stats").catch(() => null);
}

/** With every other key the answers may be others. */
effect(() => {
  key.value;
  void readIndexes();
});

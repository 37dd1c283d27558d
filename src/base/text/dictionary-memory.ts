/**
 * Where the tables of the large dictionaries lie: in memory that is set aside before any thread starts, and that all threads of
 * the server share. Whoever was given none (a script, a test) has some of its own.
 */
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

export type DictionaryName = "japanese" | "korean";

type Buffers = Record<DictionaryName, SharedArrayBuffer>;

/** Address space. What is never written, as all of it where such text never appears, takes no memory. */
const RESERVED_BYTES: Record<DictionaryName, number> = { japanese: 10 << 20, korean: 24 << 20 };
const SHARED_KEY = "sabre-search dictionaries";

let ownBuffers: Buffers | null = null;

/** Threads started from now on share their dictionaries with this one. */
export function shareDictionaries(): void {
  if (getEnvironmentData(SHARED_KEY) === undefined) setEnvironmentData(SHARED_KEY, dictionaryMemory());
}

export function dictionaryMemory(): Buffers {
  ownBuffers ??= (getEnvironmentData(SHARED_KEY) as unknown as Buffers | undefined) ?? {
    japanese: new SharedArrayBuffer(RESERVED_BYTES.japanese),
    korean: new SharedArrayBuffer(RESERVED_BYTES.korean),
  };
  return ownBuffers;
}

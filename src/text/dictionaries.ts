// The large dictionaries. Their tables are decoded when some thread first needs them, into memory that all threads of the
// server share; a thread that was given none (a script, a test) has a copy of its own.
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { readMade } from "./data-files.ts";
import { decodeTables } from "./morpheme-decoder.ts";
import { MorphemeTables } from "./morpheme-tables.ts";

export type DictionaryName = "japanese" | "korean";

type Buffers = Record<DictionaryName, SharedArrayBuffer>;

/** Tells that a dictionary is needed where it must not be loaded. */
export class DictionaryMissing extends Error {
  readonly dictionary: DictionaryName;

  constructor(dictionary: DictionaryName) {
    super(`the ${dictionary} dictionary is not loaded`);
    this.dictionary = dictionary;
  }
}

/** Address space. What is never written, as all of it where such text never appears, takes no memory. */
const RESERVED_BYTES: Record<DictionaryName, number> = { japanese: 10 << 20, korean: 24 << 20 };
const SHARED_KEY = "sabre-search dictionaries";

let ownBuffers: Buffers | null = null;
let mayLoad = true;

/** Threads started from now on share their dictionaries with this one. */
export function shareDictionaries(): void {
  if (getEnvironmentData(SHARED_KEY) === undefined) setEnvironmentData(SHARED_KEY, buffers());
}

/** Complete, by this thread or by another. */
export function tablesOf(dictionary: DictionaryName): MorphemeTables {
  const buffer = buffers()[dictionary];
  const known = MorphemeTables.in(buffer);
  if (known !== null) return known;
  if (!mayLoad) throw new DictionaryMissing(dictionary);
  return MorphemeTables.put(
    readMade(dictionary, (data) => decodeTables(data, buffer).bytes),
    buffer,
  );
}

/** Does some work that takes no time to load anything: it throws `DictionaryMissing` instead. */
export function withoutLoading<T>(work: () => T): T {
  mayLoad = false;
  try {
    return work();
  } finally {
    mayLoad = true;
  }
}

function buffers(): Buffers {
  ownBuffers ??= (getEnvironmentData(SHARED_KEY) as unknown as Buffers | undefined) ?? {
    japanese: new SharedArrayBuffer(RESERVED_BYTES.japanese),
    korean: new SharedArrayBuffer(RESERVED_BYTES.korean),
  };
  return ownBuffers;
}

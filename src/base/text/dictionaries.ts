/**
 * The large dictionaries. Their tables are decoded when some thread first needs them, into memory that all threads of the
 * server share; a thread that was given none (a script, a test) has a copy of its own.
 */
import { readMade } from "./data-files.ts";
import { type DictionaryName, dictionaryMemory } from "./dictionary-memory.ts";
import { decodeTables } from "./morpheme-decoder.ts";
import { MorphemeTables } from "./morpheme-tables.ts";

/** Tells that a dictionary is needed where it must not be loaded. */
export class DictionaryMissing extends Error {
  readonly dictionary: DictionaryName;

  constructor(dictionary: DictionaryName) {
    super(`the ${dictionary} dictionary is not loaded`);
    this.dictionary = dictionary;
  }
}

let mayLoad = true;

/** Complete, by this thread or by another. */
export function tablesOf(dictionary: DictionaryName): MorphemeTables {
  const buffer = dictionaryMemory()[dictionary];
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

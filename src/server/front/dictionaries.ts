/**
 * Keeps the front from loading dictionaries: that takes longer than other requests should wait. Work here that needs one
 * which no thread has loaded yet is done after a reader has loaded it, into memory that they share.
 */
import { DictionaryMissing, withoutLoading } from "../../base/text/dictionaries.ts";
import type { Readers } from "./services.ts";

export async function withDictionaries<T>(readers: Readers, work: () => T): Promise<T> {
  for (;;) {
    try {
      return withoutLoading(work);
    } catch (error) {
      if (!(error instanceof DictionaryMissing)) throw error;
      const { status } = await readers.request("dictionary.load", { dictionary: error.dictionary }, null, null);
      // What kept the reader from it shows better here than as a request without an end.
      if (status !== 204) return work();
    }
  }
}

/**
 * A list of records that several servers share, each under its number, beginning with 1: whoever adds one says which number
 * it is to have, and of several who want the same one gets it. Knows bytes only; what they mean is the store's business.
 * A server on its own has none: its store is all it needs.
 */

export interface Journal {
  /** Where it is, for messages. */
  readonly place: string;
  /** Larger records should not be made of several small ones. */
  readonly recordBytes: number;
  /** Number of the first record that is still there, or of the next one. */
  first(): Promise<number>;
  /** Number of the last record; 0 when there never was one. */
  last(): Promise<number>;
  /**
   * Adds the record with this number, the one after the last that the caller knows. `taken`: another one has it. Resolves when
   * it is durable. When it rejects nobody knows: the same record may be added again, and `taken` may then be itself. Rejects with
   * `LostRecords` where the record before it, which whoever asks has followed, is not there.
   */
  append(number: number, record: Uint8Array): Promise<"appended" | "taken">;
  /**
   * Null when it is not there yet. Rejects with `TrimmedRecord` when it is no longer there, and with `LostRecords` when the one before
   * it should be and is not.
   */
  read(number: number): Promise<Uint8Array | null>;
  /** Told when there may be more to read than the record of this number; now and then for nothing. */
  onNews(after: number, tell: () => void): void;
  /** Forgets the records before this one. */
  trim(first: number): Promise<void>;
  close(): Promise<void>;
}

export class TrimmedRecord extends Error {
  override readonly name = "TrimmedRecord";

  constructor(place: string, number: number) {
    super(`record ${number} of the journal ${place} is no longer there`);
  }
}

export class LostRecords extends Error {
  override readonly name = "LostRecords";

  constructor(place: string, number: number) {
    super(`the journal ${place} has lost records: it ends before record ${number}, which was there`);
  }
}

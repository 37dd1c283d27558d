/**
 * Bytes by key within fixed memory, for what is seldom asked for again: to keep something costs one copy and leaves the
 * garbage collector nothing to do. Knows nothing of answers.
 *
 * ```
 *   parts    [ newer |head| older ... ][ ... ][ ... ]       one ring; positions grow for ever, place = position mod size
 *   records  oldest -> ... -> newest                        in the order of their positions
 * ```
 * What is written at the head overwrites what is oldest. Bytes of the older half that are asked for are copied to the head: what
 * is asked for at least once in half a turn stays. No record reaches from one part of the memory into the
 * next, so that the parts can be made one by one when they are first needed.
 *
 * Second chance in a ring (CLOCK): Corbató 1968, "A Paging Experiment with the Multics System".
 */

const PARTS = 8;
/** What a record takes beside its bytes and its key. */
const RECORD_BYTES = 320;

interface StoredRecord<Note> {
  key: string;
  note: Note;
  position: number;
  length: number;
  next: StoredRecord<Note> | null;
}

interface Stored<Note> {
  /** Good until something is kept. */
  bytes: Uint8Array;
  note: Note;
}

export class ByteStore<Note> {
  readonly #bytesMax: number;
  readonly #partBytes: number;
  readonly #parts: Uint8Array[] = [];
  readonly #records = new Map<string, StoredRecord<Note>>();
  #oldest: StoredRecord<Note> | null = null;
  #newest: StoredRecord<Note> | null = null;
  #head = 0;
  /** What records and keys take, beside the ring. */
  #besides = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#partBytes = Math.floor(bytesMax / PARTS);
  }

  get(key: string): Stored<Note> | null {
    const found = this.#records.get(key);
    if (found === undefined) return null;
    const record = this.#goesSoon(found) ? this.#renewed(found) : found;
    return { bytes: this.#view(record), note: record.note };
  }

  /** Copies the bytes, unless they are too many or there are some by that key. */
  keep(key: string, bytes: Uint8Array, note: Note): void {
    if (besidesOf(key) + bytes.length > this.#partBytes || this.#records.has(key)) return;
    const record = this.#reserve(key, bytes.length, note);
    this.#view(record).set(bytes);
  }

  /** Whether it is of the older half, and there is not much room left. */
  #goesSoon({ position }: StoredRecord<Note>): boolean {
    const span = this.#head - this.#oldest!.position;
    return this.#head - position > span / 2 && span + this.#besides > this.#bytesMax / 2;
  }

  /** The bytes stay where they were until something else is written there; the old record, until its turn comes. */
  #renewed(record: StoredRecord<Note>): StoredRecord<Note> {
    this.#remove(record);
    const renewed = this.#reserve(record.key, record.length, record.note);
    this.#view(renewed).set(this.#view(record));
    return renewed;
  }

  #reserve(key: string, length: number, note: Note): StoredRecord<Note> {
    const left = this.#partBytes - (this.#head % this.#partBytes);
    const position = length <= left ? this.#head : this.#head + left;
    const record = { key, note, position, length, next: null };
    this.#head = position + length;
    this.#besides += besidesOf(key);
    this.#makeRoom();
    if (this.#newest === null) this.#oldest = record;
    else this.#newest.next = record;
    this.#newest = record;
    this.#records.set(key, record);
    return record;
  }

  /** Lets go of what the head has come to, and of as much as all of it together may not take. */
  #makeRoom(): void {
    for (let oldest = this.#oldest; oldest !== null; oldest = this.#oldest) {
      const span = this.#head - oldest.position;
      if (span <= PARTS * this.#partBytes && span + this.#besides <= this.#bytesMax) return;
      this.#oldest = oldest.next;
      if (this.#oldest === null) this.#newest = null;
      // One that was renewed has another record by now.
      if (this.#records.get(oldest.key) === oldest) this.#remove(oldest);
    }
  }

  #remove({ key }: StoredRecord<Note>): void {
    this.#records.delete(key);
    this.#besides -= besidesOf(key);
  }

  #view({ position, length }: StoredRecord<Note>): Uint8Array {
    const number = Math.floor(position / this.#partBytes) % PARTS;
    this.#parts[number] ??= new Uint8Array(this.#partBytes);
    const at = position % this.#partBytes;
    return this.#parts[number].subarray(at, at + length);
  }
}

function besidesOf(key: string): number {
  return RECORD_BYTES + 2 * key.length;
}

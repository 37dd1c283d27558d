/**
 * Reads the payloads of a batch: their ids, and where their documents lie. While one is folded here, helpers read the
 * next ones.
 */
import type { PayloadRef, TaskRecord } from "../../base/contract/task.ts";
import { limits } from "../../base/limits.ts";
import { decodePayload } from "../../base/payload/prepare.ts";
import { type PayloadScan, scanPayload } from "../../base/payload/scan.ts";
import { payloadBytes } from "./payloads.ts";
import type { PayloadPlace } from "./plan.ts";
import { scanFile } from "./scan-file.ts";
import type { Work } from "./work.ts";

/** A payload with the ids of its documents, ready to be folded. */
export type ReadPayload = PayloadScan & PayloadPlace;

/** So many payloads are read before their turn. */
const AHEAD = 2;

interface Reading {
  primaryKey: string;
  payload: Promise<ReadPayload>;
}

export class PayloadReads {
  readonly #work: Work;
  readonly #tasks: readonly TaskRecord[];
  /** Those under way, by place of their task. */
  readonly #readings = new Map<number, Reading>();

  constructor(work: Work, tasks: readonly TaskRecord[]) {
    this.#work = work;
    this.#tasks = tasks;
  }

  /** The payload of the task at a place, by this key or, for null, by the one that its first document suggests. */
  read(place: number, primaryKey: string | null): Promise<ReadPayload> {
    const begun = this.#readings.get(place);
    this.#readings.delete(place);
    const payload =
      begun !== undefined && begun.primaryKey === primaryKey
        ? begun.payload
        : readPayload(this.#work, documentsOf(this.#tasks[place]!)!, primaryKey);
    if (primaryKey !== null) for (let next = 1; next <= AHEAD; next++) this.#begin(place + next, primaryKey);
    return payload;
  }

  /** Small ones are read when it is their turn: nobody else could do it. */
  #begin(place: number, primaryKey: string): void {
    const task = this.#tasks[place];
    const ref = task === undefined ? null : documentsOf(task);
    if (ref === null || !isScannedElsewhere(ref) || this.#readings.has(place)) return;
    const payload = readPayload(this.#work, ref, primaryKey);
    // What goes wrong is told to whoever asks for it.
    payload.catch(() => {});
    this.#readings.set(place, { primaryKey, payload });
  }
}

function documentsOf({ content }: TaskRecord): PayloadRef | null {
  return content.type === "documentAdditionOrUpdate" ? content.payload : null;
}

function isScannedElsewhere({ kind, bytes }: PayloadRef): boolean {
  return kind === "file" && bytes > limits.inlineBuildBytes;
}

async function readPayload(work: Work, ref: PayloadRef, primaryKey: string | null): Promise<ReadPayload> {
  if (isScannedElsewhere(ref)) return scanFile(work, work.indexes.payloadPath(ref.name), primaryKey);
  const prepared = decodePayload(payloadBytes(work, ref));
  const scan = scanPayload(prepared, primaryKey);
  // Each by its name: a copy that is added to has another shape every time, and is slow to make and to read.
  return {
    primaryKey: scan.primaryKey,
    ids: scan.ids,
    isAscending: scan.isAscending,
    fields: scan.fields,
    error: scan.error,
    source: { bytes: prepared.bytes },
    ranges: prepared.ranges,
  };
}

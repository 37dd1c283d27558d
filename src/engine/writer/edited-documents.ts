/**
 * The new versions that an edit by a function makes: in memory while they are few, in files beside the payloads when they are many.
 * Sees to it that an edited document is still the same document.
 */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { idAt, idCount } from "../../base/document/id-list.ts";
import { apiError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { limits, MIB } from "../../base/limits.ts";
import { scanPayload } from "../../base/payload/scan.ts";
import type { PayloadPlace } from "./plan.ts";

/** Places in a payload have 32 bits; another file begins well before they run out. */
const FILE_BYTES_MAX = 1024 * MIB;

interface Part {
  ranges: number[];
  /** Documents in the parts before it. */
  first: number;
  bytes: number;
  file: { path: string; handle: FileHandle } | null;
}

export class EditedDocuments {
  readonly ids: string[] = [];
  /** Top-level names in order of first appearance. */
  readonly fields = new Set<string>();
  readonly #filePath: (part: number) => string;
  readonly #primaryKey: string | null;
  readonly #parts: Part[] = [];
  readonly #pending = new ByteSink(limits.inlineBuildBytes);
  #pendingRanges: number[] = [];
  #checked = 0;
  #payloads: PayloadPlace[] = [];

  constructor(filePath: (part: number) => string, primaryKey: string | null) {
    this.#filePath = filePath;
    this.#primaryKey = primaryKey;
  }

  async add(id: string, document: Uint8Array): Promise<void> {
    this.#pendingRanges.push(this.#pending.length, this.#pending.length + document.length);
    this.#pending.bytes(document);
    this.ids.push(id);
    if (this.#pending.length >= limits.inlineBuildBytes) await this.#spill();
  }

  /** No more documents come: `payloads`, `payloadOf` and `placeOf` can be used. */
  async finish(): Promise<void> {
    if (this.#parts.length > 0) await this.#spill();
    else {
      this.#check();
      this.#parts.push({ ranges: this.#pendingRanges, first: 0, bytes: this.#pending.length, file: null });
    }
    this.#payloads = this.#parts.map(({ ranges, file }) => ({
      source: file === null ? { bytes: this.#pending.view() } : { path: file.path },
      ranges: Uint32Array.from(ranges),
    }));
  }

  get payloads(): readonly PayloadPlace[] {
    return this.#payloads;
  }

  /** Which payload holds a document, by its position among all. */
  payloadOf(position: number): number {
    let part = this.#parts.length - 1;
    while (this.#parts[part]!.first > position) part--;
    return part;
  }

  /** The position of a document in its payload. */
  placeOf(position: number): number {
    return position - this.#parts[this.payloadOf(position)]!.first;
  }

  async dispose(): Promise<void> {
    for (const { file } of this.#parts) {
      if (file === null) continue;
      await file.handle.close();
      await rm(file.path, { force: true });
    }
  }

  /** Moves what is in memory to the current file. */
  async #spill(): Promise<void> {
    this.#check();
    let part = this.#parts.at(-1);
    if (part === undefined || part.bytes + this.#pending.length > FILE_BYTES_MAX) {
      const path = this.#filePath(this.#parts.length);
      part = { ranges: [], first: this.#checked - this.#pendingRanges.length / 2, bytes: 0, file: null };
      this.#parts.push(part);
      await mkdir(dirname(path), { recursive: true });
      part.file = { path, handle: await open(path, "w") };
    }
    for (const place of this.#pendingRanges) part.ranges.push(part.bytes + place);
    part.bytes += this.#pending.length;
    await part.file!.handle.writeFile(this.#pending.view());
    this.#pending.reset();
    this.#pendingRanges = [];
  }

  /** Every document in memory must have kept the id it had. */
  #check(): void {
    const payload = { bytes: this.#pending.view(), ranges: Uint32Array.from(this.#pendingRanges) };
    const scan = scanPayload(payload, this.#primaryKey);
    for (let i = 0; i < payload.ranges.length / 2; i++) {
      const id = this.ids[this.#checked + i]!;
      if (i < idCount(scan.ids) && idAt(scan.ids, i) === id) continue;
      throw apiError(
        "edit_documents_by_function_error",
        `The function may not change the primary key \`${this.#primaryKey}\` of document \`${id}\`.`,
      );
    }
    this.#checked += payload.ranges.length / 2;
    for (const name of scan.fields) this.fields.add(name);
  }
}

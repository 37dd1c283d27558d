/** Versions of documents as they are listed: one for each document, or a few more. */
import type { LotDocuments } from "../build/lot.ts";

export class VersionList {
  length = 0;
  #sources: Uint32Array;
  #begins: Float64Array;
  #ends: Float64Array;

  constructor(usual: number) {
    this.#sources = new Uint32Array(usual);
    this.#begins = new Float64Array(usual);
    this.#ends = new Float64Array(usual);
  }

  push(source: number, begin: number, end: number): void {
    if (this.length === this.#sources.length) this.#grow();
    this.#sources[this.length] = source;
    this.#begins[this.length] = begin;
    this.#ends[this.length++] = end;
  }

  lists(): Pick<LotDocuments, "versionSources" | "versionBegins" | "versionEnds"> {
    return {
      versionSources: this.#sources.slice(0, this.length),
      versionBegins: this.#begins.slice(0, this.length),
      versionEnds: this.#ends.slice(0, this.length),
    };
  }

  #grow(): void {
    const room = 2 * this.#sources.length + 1;
    const [sources, begins, ends] = [this.#sources, this.#begins, this.#ends];
    this.#sources = new Uint32Array(room);
    this.#begins = new Float64Array(room);
    this.#ends = new Float64Array(room);
    this.#sources.set(sources);
    this.#begins.set(begins);
    this.#ends.set(ends);
  }
}

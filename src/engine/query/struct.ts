/** Writes structs for compiled code, one after the other, into memory that was set aside. */

import { WORKSPACE_ALIGNMENT, type Workspace } from "../../storage/memory/workspace.ts";

export class StructWriter {
  readonly workspace: Workspace;
  readonly #end: number;
  #at: number;

  /** `bytes` were set aside at `at`. */
  constructor(workspace: Workspace, at: number, bytes: number) {
    this.workspace = workspace;
    this.#at = at;
    this.#end = at + bytes;
  }

  /** Bytes that `values` take in a struct writer. */
  static bytes(length: number): number {
    return Math.ceil(length / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;
  }

  /** Address of so many bytes, whatever they hold. */
  room(bytes: number): number {
    const at = this.#at;
    this.#at += StructWriter.bytes(bytes);
    // What lies behind is somebody else's.
    if (this.#at > this.#end) throw new RangeError(`structs need ${this.#at - this.#end} bytes more`);
    return at;
  }

  words(values: ArrayLike<number>): number {
    const at = this.room(values.length * 4);
    this.workspace.u32.set(values, at >>> 2);
    return at;
  }

  shorts(values: ArrayLike<number>): number {
    const at = this.room(values.length * 2);
    this.workspace.u16.set(values, at >>> 1);
    return at;
  }

  bytes(values: ArrayLike<number>): number {
    const at = this.room(values.length);
    this.workspace.u8.set(values, at);
    return at;
  }
}

/**
 * A set of rows in the memory of their segment, for kernels that read several columns: copied there unless it is there
 * already. Placed after others it is released before them.
 */
import { columnsKernels } from "../../../base/kernels/columns/kernels.ts";
import type { Workspace } from "../../memory/workspace.ts";
import type { Bitmap } from "../bitmap.ts";

export class PlacedRows {
  /** Address of its bits, which reach to a multiple of eight bytes. */
  readonly at: number;
  readonly count: number;
  readonly #workspace: Workspace;
  readonly #mark: number;

  constructor({ known, rows, words }: Bitmap, workspace: Workspace) {
    this.#workspace = workspace;
    this.#mark = workspace.mark;
    this.at = isPlaced(words, workspace) ? words.byteOffset : placedAt(words, workspace);
    this.count = known ?? columnsKernels(workspace.memory).countRows(rows, this.at);
  }

  release(): void {
    this.#workspace.release(this.#mark);
  }
}

/** Whether it is in this thread's own part, with nothing but zeros up to a multiple of eight bytes. */
function isPlaced({ buffer, byteOffset, byteLength }: Uint32Array, { limit, memory, start, u32 }: Workspace): boolean {
  const end = byteOffset + byteLength;
  if (buffer !== memory.buffer || byteOffset < start || end >= limit || byteOffset % 8 !== 0) return false;
  return byteLength % 8 === 0 || u32[end >>> 2] === 0;
}

function placedAt(words: Uint32Array, workspace: Workspace): number {
  const at = workspace.allocate(words.length * 4 + 4);
  workspace.u32.set(words, at >>> 2);
  workspace.u32[(at >>> 2) + words.length] = 0;
  return at;
}

/**
 * A set of rows in the memory of their segment, for kernels that read several columns. Placed after others it is released
 * before them.
 */
import { columnsKernels } from "../../kernels/columns/kernels.ts";
import type { Workspace } from "../../memory/workspace.ts";
import type { Bitmap } from "../bitmap.ts";

export class PlacedRows {
  /** Address of its bits, which reach to a multiple of eight bytes. */
  readonly at: number;
  readonly count: number;
  private readonly workspace: Workspace;
  private readonly mark: number;

  constructor({ rows, words }: Bitmap, workspace: Workspace) {
    this.workspace = workspace;
    this.mark = workspace.mark;
    this.at = workspace.allocate(words.length * 4 + 4);
    workspace.u32.set(words, this.at >>> 2);
    workspace.u32[(this.at >>> 2) + words.length] = 0;
    this.count = columnsKernels(workspace.memory).countRows(rows, this.at);
  }

  release(): void {
    this.workspace.release(this.mark);
  }
}

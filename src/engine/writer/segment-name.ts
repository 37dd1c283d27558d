/**
 * The name of a segment's file. No other file ever has it: a helper may outlive the writer that asked it to build, and must
 * not write over what the next writer has put in use.
 */
import { randomBytes } from "node:crypto";
import type { IndexState } from "./index-state.ts";

interface SegmentName {
  id: number;
  file: string;
}

export function nextSegmentName(state: IndexState): SegmentName {
  const id = state.nextSegmentId++;
  return { id, file: `${id}-${randomBytes(6).toString("hex")}.seg` };
}

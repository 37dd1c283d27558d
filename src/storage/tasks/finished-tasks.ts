/**
 * Finished tasks as one thread tells another of them: their records as they are stored, in one piece of memory, which moves over. To have
 * the engine copy a head for each takes both threads longer than to finish the task, and mostly nobody reads more than its state.
 *
 *   per task: u32 uid │ u32 bytes │ record
 */
import { decodeTaskColumns, decodeTaskHead, type TaskColumns, type TaskHead } from "../store/task-record.ts";

/** Those that whoever wants to know is told of. */
export interface FinishedTasks {
  count: number;
  /** Read anew each time. */
  heads(): Iterable<TaskHead>;
}

interface StoredTask {
  uid: number;
  record: Uint8Array;
}

const HEAD_BYTES = 8;

export function packTasks(tasks: readonly StoredTask[]): Uint8Array {
  const size = tasks.reduce((sum, { record }) => sum + HEAD_BYTES + record.byteLength, 0);
  const packed = Buffer.from(new ArrayBuffer(size));
  let at = 0;
  for (const { uid, record } of tasks) {
    at = packed.writeUInt32LE(uid, at);
    at = packed.writeUInt32LE(record.byteLength, at);
    packed.set(record, at);
    at += record.byteLength;
  }
  return packed;
}

export function* columnsIn(packed: Uint8Array): Generator<TaskColumns> {
  for (const { uid, record } of tasksIn(packed)) yield decodeTaskColumns(record, uid);
}

export function finishedIn(packed: Uint8Array, count: number): FinishedTasks {
  return { count, heads: () => headsIn(packed) };
}

function* headsIn(packed: Uint8Array): Generator<TaskHead> {
  for (const { uid, record } of tasksIn(packed)) yield decodeTaskHead(record, uid);
}

function* tasksIn({ buffer, byteOffset, byteLength }: Uint8Array): Generator<StoredTask> {
  const packed = Buffer.from(buffer, byteOffset, byteLength);
  for (let at = 0; at < packed.length; ) {
    const end = at + HEAD_BYTES + packed.readUInt32LE(at + 4);
    yield { uid: packed.readUInt32LE(at), record: packed.subarray(at + HEAD_BYTES, end) };
    at = end;
  }
}

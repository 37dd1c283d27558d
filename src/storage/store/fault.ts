/**
 * Why the store could not make something durable, by the name that the system has for it (`ENOSPC`, `EIO`, …), so that
 * others can tell a full disk from a broken one.
 */
import { getSystemErrorMap } from "node:util";

export type FaultKind =
  /** Nothing of the commit is there; the next one may well succeed. */
  | "refused"
  /** Whether it is there is not known before the store has been opened anew. */
  | "unknown"
  /** Another server has written to the store: this one must not go on. */
  | "fenced";

export class StoreFault extends Error {
  override readonly name = "StoreFault";
  readonly code: string;
  readonly kind: FaultKind;

  constructor(kind: FaultKind, code: string, message: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** From the number that the database reports: one of the system's when positive, one of its own otherwise. */
export function commitFault(kind: FaultKind, status: number): StoreFault {
  const [code, meaning] = getSystemErrorMap().get(-status) ?? [`LMDB${status}`, "the database refused it"];
  return new StoreFault(kind, code, `the store could not commit: ${meaning} (${code})`);
}

export function unreadableFault(problem: unknown): StoreFault {
  return new StoreFault("unknown", "EIO", `the store can no longer be read: ${(problem as Error).message}`);
}

export function fencedFault(path: string): StoreFault {
  return new StoreFault("fenced", "EFENCED", `another server has written to the store \`${path}\``);
}

/** Thrown to whoever reads while the store is being opened anew: nothing can be read before `opened`. */
export class StoreOpening extends StoreFault {
  readonly opened: Promise<void>;

  constructor(code: string, opened: Promise<void>) {
    super("refused", code, `the store is being opened anew after a failure (${code})`);
    this.opened = opened;
  }
}

/** Leaves out what cannot be done while the store is being opened anew. */
export function whenOpen(action: () => void): void {
  try {
    action();
  } catch (problem) {
    if (!(problem instanceof StoreOpening)) throw problem;
  }
}

/** What `read` gives, at once or as soon as the store can be read. */
export async function onceOpen<T>(read: () => T): Promise<T> {
  for (;;) {
    try {
      return read();
    } catch (problem) {
      if (!(problem instanceof StoreOpening)) throw problem;
      await problem.opened;
    }
  }
}

/** What bounds calls from one server of a cluster to another, whatever is asked. */
import { MIB } from "../../base/limits.ts";

/** For everything that one request asks. */
export const DEADLINE_MS = 30_000;
/** The next server is asked as well when the first has not answered within this time, where no more is known of it. */
export const LATE_MS = 1000;
export const ANSWER_BYTES_MAX = 1024 * MIB;
/** To one server at once, and how many more may wait. */
export const CALLS_MAX = 128;
export const WAITING_MAX = 2000;
/** Times each server is asked: a kept connection may have ended just now. */
export const ROUNDS = 2;

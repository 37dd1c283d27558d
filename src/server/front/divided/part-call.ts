/** What another server asks of a part, read within bounds: whoever knows the secret of a cluster may still send anything. */
import type { Buffer } from "node:buffer";
import { parseJson } from "../../../base/contract/json-body.ts";
import { badRequest } from "../../../base/errors/errors.ts";
import { isObject } from "../../../base/json/value.ts";
import { KIB } from "../../../base/limits.ts";
import { splitFramed } from "../../../engine/link/framed.ts";
import type { PartCall } from "../../../engine/parts/questions.ts";
import { SHARDS_MAX } from "../../../storage/index/shards.ts";
import { DEADLINE_MS } from "../server-calls.ts";

/** Of the head, which the front thread reads: a name and a few numbers. */
const HEAD_BYTES_MAX = 8 * KIB;

/** The question itself is for a reader to read. */
export function readPartCall(body: Buffer): { call: PartCall; question: Uint8Array } {
  const framed = splitFramed(body);
  if (framed === null || framed.head.length > HEAD_BYTES_MAX) {
    throw badRequest("The head of what is asked has another length.");
  }
  const head = parseJson(framed.head);
  if (!isCall(head)) throw badRequest("The head of what is asked has another form.");
  // Nobody waits for an answer any longer.
  return { call: { ...head, leftMs: Math.min(head.leftMs ?? DEADLINE_MS, DEADLINE_MS) }, question: framed.rest };
}

function isCall(head: unknown): head is PartCall {
  if (!isObject(head)) return false;
  const { id, indexUid, leftMs, settingsVersion, shards } = head;
  return (
    typeof indexUid === "string" &&
    typeof id === "string" &&
    typeof settingsVersion === "number" &&
    (leftMs === null || typeof leftMs === "number") &&
    Array.isArray(shards) &&
    shards.every((shard, i) => Number.isInteger(shard) && Number(shard) > Number(shards[i - 1] ?? -1)) &&
    Number(shards.at(-1) ?? 0) < SHARDS_MAX
  );
}

/** What can go wrong in a conversation, in the form in which the client is told while it listens. */

import { randomUUID } from "node:crypto";
import { ApiError } from "../../../base/errors/errors.ts";
import { isObject, type JsonObject } from "../../../base/json/value.ts";

/** What the provider itself said went wrong. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly said: JsonObject;

  constructor(said: JsonObject) {
    super(String(said["message"] ?? "the model gave no reason"));
    this.said = said;
  }
}

const REASON_BYTES_MAX = 1 << 16;

export async function modelError(status: number, body: AsyncIterable<Uint8Array>): Promise<ModelError> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > REASON_BYTES_MAX) break;
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const unclear = { type: "api_error", message: `The model answered with status ${status}: ${text.slice(0, 500)}` };
  try {
    const said: unknown = JSON.parse(text);
    if (isObject(said) && isObject(said["error"])) return new ModelError(said["error"]);
    return new ModelError(isObject(said) && typeof said["message"] === "string" ? said : unclear);
  } catch {
    return new ModelError(unclear);
  }
}

export function errorEvent(problem: unknown): JsonObject {
  return { event_id: randomUUID(), type: "error", error: { ...reasonOf(problem), event_id: null } };
}

function reasonOf(problem: unknown): JsonObject {
  if (problem instanceof ApiError) {
    const { type, code, message } = problem.body();
    return { type, code, message, param: null };
  }
  if (problem instanceof ModelError) {
    const { type = "api_error", code = null, param = null } = problem.said;
    return { type, code, message: problem.message, param };
  }
  return { type: "transport_error", code: null, message: (problem as Error).message, param: null };
}

/**
 * Reads on one of several servers that share their state: which have to wait until it is as far as they want it to be, and what
 * answers say of how far it was. A server on its own has none of it.
 */
import { ApiError, badRequest } from "../../base/errors/errors.ts";
import type { Answer } from "./answer.ts";
import type { ClusterView } from "./cluster-view.ts";
import type { ClientRequest } from "./request.ts";
import type { HeaderFields } from "./transport/transport.ts";

export type SharedReads = Pick<ClusterView, "name" | "shown" | "stored" | "mayAnswer" | "ready">;

/** Actions whose routes tell of this server alone. */
const OF_ITSELF = new Set(["metrics.get", "version", "network.get"]);

export function onlyReads({ head, route: { action } }: ClientRequest<unknown>): boolean {
  const actions = typeof action === "string" ? [action] : (action ?? []);
  return head.method === "GET" || actions.every((name) => name === "search" || name.endsWith(".get"));
}

/** A server that is cut off answers no reads: others show what it does not know of. What it says of itself is no such read. */
export function mustWait(cluster: SharedReads, request: ClientRequest<unknown>): boolean {
  const { action } = request.route;
  if (action === null || OF_ITSELF.has(String(action))) return false;
  return request.minSequence > cluster.shown || (!cluster.mayAnswer && onlyReads(request));
}

export function notReady({ name, shown, mayAnswer }: SharedReads, wanted: number): ApiError {
  const why = mayAnswer ? `has seen the changes up to ${shown}, not yet up to ${wanted}` : "is cut off from the others";
  return askAgain(name, why);
}

/** What is not here may be elsewhere. */
export function notCaughtUp({ name }: Pick<SharedReads, "name">): ApiError {
  return askAgain(name, "has not seen all changes of the others yet");
}

function askAgain(name: string, why: string): ApiError {
  return new ApiError("internal", `The server \`${name}\` ${why}: ask again, or another one.`, 503);
}

/** Whatever was seen for the answer is not beyond this. */
export function sequenceHeaders(answer: Answer, { name, stored }: SharedReads): HeaderFields {
  return ["X-Sabre-Seq", String(Math.max(stored, answer.sequence ?? 0)), "X-Sabre-Node", name];
}

export function sequenceIn(header: string): number {
  if (header === "") return 0;
  if (!/^\d{1,15}$/.test(header)) throw badRequest("The header `X-Sabre-Min-Seq` must be a number.");
  return Number(header);
}

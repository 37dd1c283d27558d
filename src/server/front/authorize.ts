/** Asks the gate for a route: every action it names, for the index in its path. Decides nothing itself. */
import type { Gate } from "../../engine/auth/authorize.ts";
import type { Scope } from "../../engine/auth/scope.ts";
import type { ClientRequest } from "./request.ts";
import type { Route } from "./router.ts";

export function authorizeRoute(gate: Gate, request: ClientRequest<Scope>, route: Route<Scope>): Scope {
  const indexUid = route.paramNames.includes("index_uid") ? request.param("index_uid") : null;
  const [first, ...others] = typeof route.action === "string" ? [route.action] : (route.action ?? []);
  if (first === undefined) throw new Error(`${route.path} names no action`);
  const scope = gate.authorize(request.head, first, indexUid);
  for (const action of others) gate.authorize(request.head, action, indexUid);
  return scope;
}

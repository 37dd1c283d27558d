/**
 * The requester, as far as checks of a request depend on it: scope, enabled features, known remote servers. The front
 * has it at hand; a reader that checks a long request is sent a copy.
 */

import type { Features } from "../../base/contract/features.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { receivedScope, type Scope, type SentScope, sentScope } from "../auth/scope.ts";
import type { PinningRule } from "../pins/rules.ts";
import type { KnownNetwork } from "./remotes.ts";

export interface Asker {
  scope: Scope;
  features: Features;
  network: KnownNetwork;
  /** Whether there is a service that can personalize answers. */
  personalizes: boolean;
  /** Runs `use` on the index as it is now; 404 when there is none. What `use` gets is gone once it returns. */
  withIndex<T>(uid: string, use: (index: IndexView) => T): T;
}

/** As it travels to a reader. */
export interface SentAsker {
  scope: SentScope;
  features: Features;
  network: KnownNetwork;
  personalizes: boolean;
  /** Null when no rules are in force. */
  rules: readonly PinningRule[] | null;
}

/** Of other servers only the names are told. */
export function sentAsker(asker: Omit<Asker, "withIndex">, rules: SentAsker["rules"]): SentAsker {
  const { features, personalizes } = asker;
  const { self, remotes } = asker.network;
  const names = Object.fromEntries(Object.keys(remotes).map((name) => [name, true]));
  return { scope: sentScope(asker.scope), features, network: { self, remotes: names }, personalizes, rules };
}

export function receivedAsker({ scope, rules: _rules, ...rest }: SentAsker, withIndex: Asker["withIndex"]): Asker {
  return { ...rest, scope: receivedScope(scope), withIndex };
}

/**
 * Whoever asks, as far as it matters for what may be asked: what they may touch, which features are on, which other servers
 * are known. The front knows it; where a reader checks a request instead, it is told.
 */
import { receivedScope, type Scope, type SentScope, sentScope } from "../auth/scope.ts";
import type { Features } from "../contract/features.ts";
import type { IndexView } from "../index/view.ts";
import type { PinningRule } from "../pins/rules.ts";
import type { KnownNetwork } from "./remotes.ts";

export interface Asker {
  scope: Scope;
  features: Features;
  network: KnownNetwork;
  /** Runs `use` on the index as it is now; 404 when there is none. What `use` gets is gone once it returns. */
  withIndex<T>(uid: string, use: (index: IndexView) => T): T;
}

/** As it travels to a reader. */
export interface SentAsker {
  scope: SentScope;
  features: Features;
  network: KnownNetwork;
  /** Null when no rules are in force. */
  rules: readonly PinningRule[] | null;
}

/** Of other servers only the names are told. */
export function sentAsker(asker: Pick<Asker, "scope" | "features" | "network">, rules: SentAsker["rules"]): SentAsker {
  const { self, remotes } = asker.network;
  const names = Object.fromEntries(Object.keys(remotes).map((name) => [name, true]));
  return { scope: sentScope(asker.scope), features: asker.features, network: { self, remotes: names }, rules };
}

export function receivedAsker({ scope, features, network }: SentAsker, withIndex: Asker["withIndex"]): Asker {
  return { scope: receivedScope(scope), features, network, withIndex };
}

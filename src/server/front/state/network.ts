/**
 * The remote servers this one knows of (`/network`), stored as one object. A leader may be taken away; to set one is refused
 * in the words of the interface.
 */

import type { NetworkChange, RemoteChange, ShardChange } from "../../../base/contract/network.ts";

import { apiError, type ErrorCode } from "../../../base/errors/errors.ts";
import { redactSecret } from "../../../base/json/secrets.ts";
import { type Json, type JsonObject, mapped } from "../../../base/json/value.ts";
import { KIB } from "../../../base/limits.ts";
import { newUid } from "../../../engine/link/uids.ts";
import type { Store } from "../../../storage/store/store.ts";

interface Remote {
  url: string;
  searchApiKey: string | null;
  writeApiKey: string | null;
}

interface NetworkRecord {
  self: string | null;
  remotes: Record<string, Remote>;
  shards: Record<string, { remotes: string[] }>;
  leader: string | null;
  version: string;
}

/** Of remotes, and of shards: a search of the whole network asks all of them at once. */
const NAMES_MAX = 256;
/** All of it as JSON, keys, addresses and names included: changes add up, and the front writes it whole. */
const RECORD_UNITS_MAX = 256 * KIB;
const KEY = "network";
const FIRST_VERSION = "00000000-0000-0000-0000-000000000000";

export class Network {
  readonly #store: Pick<Store, "network" | "write">;
  readonly #isAvailable: (remote: string) => boolean;
  #current: NetworkRecord;

  /** `isAvailable`: whether a remote answered when it was asked last. */
  constructor(store: Pick<Store, "network" | "write">, isAvailable: (remote: string) => boolean = () => true) {
    this.#store = store;
    this.#isAvailable = isAvailable;
    this.#current = this.#read();
  }

  /** Another server has changed it. */
  onChangedElsewhere(): void {
    this.#current = this.#read();
  }

  #read(): NetworkRecord {
    const stored = this.#store.network.get(KEY) as unknown as NetworkRecord | undefined;
    return stored ?? { self: null, remotes: {}, shards: {}, leader: null, version: FIRST_VERSION };
  }

  get current(): NetworkRecord {
    return this.#current;
  }

  /** `reveals`: whether the keys of remotes are shown as they are. */
  view(reveals: boolean): JsonObject {
    const { self, remotes, shards, leader, version } = this.#current;
    const shown = mapped(remotes, (remote, name): Json => {
      const status = this.#isAvailable(name) ? "available" : "unavailable";
      return { ...(reveals ? remote : withoutKeys(remote)), status };
    });
    return { self, remotes: shown, shards: shards as unknown as Json, leader, version };
  }

  async update(changes: NetworkChange, reveals: boolean): Promise<JsonObject> {
    if (changes.leader !== undefined && changes.leader !== null) {
      throw apiError("requires_enterprise_edition", "Setting a network leader requires the Enterprise Edition.");
    }
    const remotes = mergeRemotes(this.#current.remotes, changes.remotes);
    checkCount(remotes, "remotes", "invalid_network_remotes");
    const shards = mergeShards(this.#current.shards, changes.shards, remotes);
    checkCount(shards, "shards", "invalid_network_shards");
    const next: NetworkRecord = {
      self: changes.self === undefined ? this.#current.self : changes.self,
      remotes,
      shards,
      leader: changes.leader === undefined ? this.#current.leader : changes.leader,
      // Sorts by time of creation, so that two states of a network can be told apart and ordered.
      version: newUid(),
    };
    if (JSON.stringify(next).length > RECORD_UNITS_MAX) {
      throw apiError("invalid_network_remotes", `A network has at most ${RECORD_UNITS_MAX} characters, as JSON.`);
    }
    await this.#store.write(() => this.#store.network.put(KEY, next as unknown as Json));
    this.#current = next;
    return this.view(reveals);
  }
}

function withoutKeys({ url, searchApiKey, writeApiKey }: Remote): Remote {
  const hidden = (key: string | null) => (key === null ? null : redactSecret(key));
  return { url, searchApiKey: hidden(searchApiKey), writeApiKey: hidden(writeApiKey) };
}

function mergeRemotes(before: Record<string, Remote>, changes: NetworkChange["remotes"]): Record<string, Remote> {
  if (changes === undefined) return before;
  if (changes === null) return {};
  const remotes = new Map(Object.entries(before));
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) remotes.delete(name);
    else remotes.set(name, mergeRemote(name, remotes.get(name), change));
  }
  return Object.fromEntries([...remotes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function mergeRemote(name: string, before: Remote | undefined, change: RemoteChange): Remote {
  const url = change.url ?? before?.url;
  if (url === undefined) throw apiError("missing_network_url", `Missing field \`.remotes.${name}.url\``);
  return {
    url,
    searchApiKey: change.searchApiKey === undefined ? (before?.searchApiKey ?? null) : change.searchApiKey,
    writeApiKey: change.writeApiKey === undefined ? (before?.writeApiKey ?? null) : change.writeApiKey,
  };
}

function mergeShards(
  before: NetworkRecord["shards"],
  changes: NetworkChange["shards"],
  known: NetworkRecord["remotes"],
): NetworkRecord["shards"] {
  if (changes === undefined) return before;
  if (changes === null) return {};
  const shards = new Map(Object.entries(before));
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) {
      shards.delete(name);
      continue;
    }
    checkShard(name, change, known);
    const remotes = new Set(change.remotes ?? shards.get(name)?.remotes ?? []);
    for (const remote of change.addRemotes ?? []) remotes.add(remote);
    for (const remote of change.removeRemotes ?? []) remotes.delete(remote);
    shards.set(name, { remotes: [...remotes] });
  }
  return Object.fromEntries([...shards].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkCount(named: object, what: string, code: ErrorCode): void {
  const count = Object.keys(named).length;
  if (count > NAMES_MAX) {
    throw apiError(code, `Invalid value at \`.${what}\`: there may be ${NAMES_MAX} ${what} at most, not ${count}.`);
  }
}

function checkShard(
  name: string,
  { remotes, addRemotes, removeRemotes }: ShardChange,
  known: NetworkRecord["remotes"],
): void {
  const refused = (why: string): Error =>
    apiError("invalid_network_shards", `Invalid value at \`.shards.${name}\`: ${why}`);
  if (remotes !== undefined && (addRemotes ?? removeRemotes) !== undefined) {
    throw refused("`remotes` says all, so `addRemotes` and `removeRemotes` cannot stand beside it.");
  }
  const unknown = [...(remotes ?? []), ...(addRemotes ?? [])].find((remote) => !Object.hasOwn(known, remote));
  if (unknown !== undefined) throw refused(`no remote of the name \`${unknown}\` is known.`);
}

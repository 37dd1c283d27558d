/**
 * API keys: kept in the store, held in memory, their values derived from the master key so that none is ever stored.
 * Checks what the key table itself must guarantee; shapes of request bodies are checked before.
 */

import { createHmac, hash, randomUUID } from "node:crypto";
import type { Action } from "../../base/contract/actions.ts";
import { readUuid } from "../../base/contract/names.ts";
import { apiError, apiKeyNotFound } from "../../base/errors/errors.ts";
import type { Micros } from "../../base/time/time.ts";
import { formatTime, nowMicros } from "../../base/time/time.ts";
import type { KeyRecord, OwnStore } from "../../storage/store/store.ts";
import { expandActions } from "./actions.ts";

export interface NewKey {
  uid: string | null;
  name: string | null;
  description: string | null;
  actions: string[];
  indexes: string[];
  expiresAt: Micros | null;
}

/** Absent leaves the value, null clears it. */
interface KeyPatch {
  name?: string | null;
  description?: string | null;
}

export interface KeyView {
  name: string | null;
  description: string | null;
  key: string;
  uid: string;
  actions: string[];
  indexes: string[];
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ApiKey {
  record: KeyRecord;
  /** Lowercase hex. */
  value: string;
  actions: ReadonlySet<Action>;
}

/** Oldest first, so that lists, which are newest first, begin with the search key. */
const DEFAULT_KEYS: readonly Pick<NewKey, "name" | "description" | "actions">[] = [
  {
    name: "Default Chat API Key",
    description: "Use it to chat and search from the frontend",
    actions: ["chatCompletions", "search"],
  },
  {
    name: "Default Read-Only Admin API Key",
    description:
      "Use it to read information across the whole database. Caution! Do not expose this key on a public frontend",
    actions: ["*.get", "keys.get"],
  },
  {
    name: "Default Admin API Key",
    description: "Use it for anything that is not a search operation. Caution! Do not expose it on a public frontend",
    actions: ["*"],
  },
  {
    name: "Default Search API Key",
    description: "Use it to search from the frontend",
    actions: ["search"],
  },
];

export function keyValue(masterKey: string, uid: string): string {
  return createHmac("sha256", masterKey).update(uid).digest("hex");
}

/**
 * Secrets are compared by this digest only: with a salt nobody knows, neither a map lookup nor an early mismatch tells
 * anything about the secret itself.
 */
export function blinded(secret: string): string {
  return hash("sha256", BLINDING_SALT + secret, "hex");
}

const BLINDING_SALT = randomUUID();

type KeyStore = Pick<OwnStore, "keys" | "write" | "writeInTurn">;

export class KeyRing {
  readonly #store: KeyStore;
  readonly #masterKey: string;
  readonly #byUid = new Map<string, ApiKey>();
  readonly #byBlindedValue = new Map<string, ApiKey>();

  constructor(store: KeyStore, masterKey: string) {
    this.#store = store;
    this.#masterKey = masterKey;
    for (const [, record] of store.keys.entries()) this.#hold(record);
  }

  /** A server that starts with a master key and no keys gets four to begin with. */
  async ensureDefaults(): Promise<void> {
    if (this.#byUid.size > 0) return;
    const first = nowMicros();
    const records = DEFAULT_KEYS.map((key, i): KeyRecord => {
      const createdAt = first + i;
      return { ...key, uid: randomUUID(), indexes: ["*"], expiresAt: null, createdAt, updatedAt: createdAt };
    });
    // Another server may have done so meanwhile.
    await this.#store.writeInTurn(() => {
      if (this.#store.keys.count() > 0) return;
      for (const record of records) this.#store.keys.put(record.uid, record);
    });
    for (const [, record] of this.#store.keys.entries()) this.#hold(record);
  }

  /** Another server has made, changed or removed a key. */
  onChangedElsewhere(uid: string): void {
    this.#drop(uid);
    const record = this.#store.keys.get(uid);
    if (record !== undefined) this.#hold(record);
  }

  byUid(uid: string): ApiKey | null {
    return this.#byUid.get(uid) ?? null;
  }

  byBlindedValue(value: string): ApiKey | null {
    return this.#byBlindedValue.get(value) ?? null;
  }

  /** By uid or by value; null when there is none. */
  find(keyOrUid: string): KeyRecord | null {
    const uid = readUuid(keyOrUid);
    const found = (uid === null ? null : this.byUid(uid)) ?? this.byBlindedValue(blinded(keyOrUid));
    return found?.record ?? null;
  }

  /** Newest first. */
  list(): KeyRecord[] {
    const records = Array.from(this.#byUid.values(), (key) => key.record);
    return records.sort((left, right) => right.createdAt - left.createdAt);
  }

  /** The secret text of a key. */
  valueOf(key: KeyRecord): string {
    return this.byUid(key.uid)?.value ?? keyValue(this.#masterKey, key.uid);
  }

  async create(key: NewKey): Promise<KeyRecord> {
    const uid = key.uid ?? randomUUID();
    if (this.#byUid.has(uid)) throw apiError("api_key_already_exists", `API key \`${uid}\` already exists.`);
    const createdAt = this.#laterThanAll(nowMicros());
    const record: KeyRecord = { ...key, uid, createdAt, updatedAt: createdAt };
    // Held before it is durable, so that a second request for the same uid is refused meanwhile.
    this.#hold(record);
    try {
      await this.#store.write(() => this.#store.keys.put(uid, record));
    } catch (error) {
      this.#drop(uid);
      throw error;
    }
    return record;
  }

  async update(uid: string, patch: KeyPatch): Promise<KeyRecord> {
    const record = this.byUid(uid)?.record;
    if (record === undefined) throw apiKeyNotFound(uid);
    const updated: KeyRecord = {
      ...record,
      name: patch.name === undefined ? record.name : patch.name,
      description: patch.description === undefined ? record.description : patch.description,
      updatedAt: Math.max(nowMicros(), record.updatedAt + 1),
    };
    await this.#store.write(() => this.#store.keys.put(uid, updated));
    if (this.#byUid.has(uid)) this.#hold(updated);
    return updated;
  }

  /** Works no more from the moment it is asked for. */
  async remove(uid: string): Promise<void> {
    if (!this.#byUid.has(uid)) throw apiKeyNotFound(uid);
    this.#drop(uid);
    await this.#store.write(() => this.#store.keys.remove(uid));
  }

  #drop(uid: string): void {
    const key = this.#byUid.get(uid);
    if (key === undefined) return;
    this.#byUid.delete(uid);
    this.#byBlindedValue.delete(blinded(key.value));
  }

  #hold(record: KeyRecord): ApiKey {
    const value = keyValue(this.#masterKey, record.uid);
    const key = { record, value, actions: expandActions(record.actions) };
    this.#byUid.set(record.uid, key);
    this.#byBlindedValue.set(blinded(value), key);
    return key;
  }

  /** Lists are sorted by this time, so no two keys share it. */
  #laterThanAll(time: Micros): Micros {
    let latest = 0;
    for (const { record } of this.#byUid.values()) latest = Math.max(latest, record.createdAt);
    return Math.max(time, latest + 1);
  }
}

export function keyView(record: KeyRecord, value: string): KeyView {
  return {
    name: record.name,
    description: record.description,
    key: value,
    uid: record.uid,
    actions: record.actions,
    indexes: record.indexes,
    expiresAt: record.expiresAt === null ? null : formatTime(record.expiresAt),
    createdAt: formatTime(record.createdAt),
    updatedAt: formatTime(record.updatedAt),
  };
}

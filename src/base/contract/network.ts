/** What clients may change of the network of instances. Parsing only; the change is merged elsewhere. */
import { checkUrl } from "./address.ts";
import { dictionary, either, nothing, object, optional, resettable, text, texts } from "./schema.ts";
import { type Place, validate } from "./validate.ts";

const remote = object({
  url: optional(text({ code: "invalid_network_url", check: checkRemote })),
  searchApiKey: resettable(text({ code: "invalid_network_search_api_key" })),
  writeApiKey: resettable(text({ code: "invalid_network_write_api_key" })),
});

const shard = object({
  remotes: optional(texts()),
  addRemotes: optional(texts()),
  removeRemotes: optional(texts()),
});

export const networkSchema = object(
  {
    remotes: resettable(dictionary(either([remote, nothing()]), { code: "invalid_network_remotes" })),
    shards: resettable(dictionary(either([shard, nothing()]), { code: "invalid_network_shards" })),
    self: resettable(text({ code: "invalid_network_self" })),
    leader: resettable(text({ code: "invalid_network_leader" })),
  },
  {
    immutable: {
      previousRemotes: "unexpected_network_previous_remotes",
      previousShards: "unexpected_network_previous_remotes",
    },
  },
);

export interface RemoteChange {
  url?: string;
  searchApiKey?: string | null;
  writeApiKey?: string | null;
}

export interface ShardChange {
  remotes?: string[];
  addRemotes?: string[];
  removeRemotes?: string[];
}

/** Absent keeps; null clears a whole part, or removes one name of it. */
export interface NetworkChange {
  self?: string | null;
  leader?: string | null;
  remotes?: Record<string, RemoteChange | null> | null;
  shards?: Record<string, ShardChange | null> | null;
}

export function parseNetwork(body: unknown): NetworkChange {
  return validate(networkSchema, body);
}

function checkRemote(value: string, at: Place): void {
  checkUrl(value, at);
  if (!/^https?:$/.test(new URL(value).protocol)) at.refuse("a remote is reached over `http` or `https` only.");
}

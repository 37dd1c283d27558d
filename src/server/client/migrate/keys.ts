/** The keys of another server: made anew here under their uids, so that their values follow from the master key as there. */
import { type Connection, ServerError } from "../connection.ts";

/** As servers list them: what else they tell of a key, it is not made with. */
type ApiKey = Record<string, unknown>;
const MADE_WITH = ["name", "description", "uid", "actions", "indexes", "expiresAt"];
const KEYS_A_PAGE = 100;

interface Copying {
  persistently<T>(action: () => Promise<T>): Promise<T>;
  note(text: string): void;
}

/** How many are new here; null when they may not be seen. */
export async function copyKeys(
  from: Connection,
  to: Connection,
  { persistently, note }: Copying,
): Promise<number | null> {
  let copied = 0;
  try {
    for await (const key of keysOf(from, persistently)) {
      const body = Object.fromEntries(MADE_WITH.map((name) => [name, key[name] ?? null]));
      try {
        await persistently(() => to.json("POST", "/keys", { body }));
        copied++;
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.code === "api_key_already_exists") continue;
        if (error.status !== 400) throw error;
        // One that has ended, say, or that may do what is not known here.
        note(`the key ${key["name"] ?? key["uid"]} was left out: ${error.message}`);
      }
    }
  } catch (error) {
    // One of both servers has none, or shows them to the master key alone.
    if (!(error instanceof ServerError) || error.status >= 500) throw error;
    note(`keys were not copied: ${error.message}`);
    return null;
  }
  return copied;
}

async function* keysOf(server: Connection, persistently: Copying["persistently"]): AsyncGenerator<ApiKey> {
  for (let offset = 0; ; offset += KEYS_A_PAGE) {
    const path = `/keys?limit=${KEYS_A_PAGE}&offset=${offset}`;
    const { results } = await persistently(() => server.json<{ results: ApiKey[] }>("GET", path));
    yield* results;
    if (results.length < KEYS_A_PAGE) return;
  }
}

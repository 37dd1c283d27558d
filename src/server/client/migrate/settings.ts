/** The settings of an index as another server shows them, as far as they can be set here. What cannot is told. */
import { indexPath, type Settings } from "../api.ts";
import { type Connection, ServerError } from "../connection.ts";
import { finished, TaskFailed } from "../task-events.ts";

/** Servers show the beginning of a secret, if anything. */
const MASKED = /X\.\.\.$/;

export async function copySettings(
  to: Connection,
  uid: string,
  settings: Settings,
  note: (text: string) => void,
): Promise<void> {
  const { embedders, ...others } = settings;
  const masked: string[] = [];
  const known = embedders === undefined ? others : { ...others, embedders: withoutSecrets(embedders, [], masked) };
  for (const name of masked) note(`${uid}: the key of the embedder ${name} is not shown by the server: set it here`);
  await set(to, uid, known, note);
}

/** Without those that need a feature which is switched off here, or a service that cannot be reached from here. */
async function set(to: Connection, uid: string, settings: Settings, note: (text: string) => void): Promise<void> {
  try {
    await finished(to, "PATCH", indexPath(uid, "/settings"), { body: settings });
  } catch (error) {
    const name = refusedSetting(error as Error, settings);
    if (name === null) throw error;
    const { [name]: left, ...others } = settings;
    note(`${uid}: the setting ${name} was left out, which was ${JSON.stringify(left)}: ${(error as Error).message}`);
    await set(to, uid, others, note);
  }
}

function refusedSetting(error: Error, settings: Settings): string | null {
  // One that needs a feature, or that a newer server has.
  const [, named] = /^(?:Setting|Unknown field) `(\w+)`/.exec(error.message) ?? [];
  if (error instanceof ServerError && named !== undefined && Object.hasOwn(settings, named)) return named;
  const isEmbedder = error instanceof TaskFailed || (error instanceof ServerError && /embedders/.test(error.code));
  return isEmbedder && settings["embedders"] !== undefined ? "embedders" : null;
}

/** `path` leads to the value; names of those that were left out are added to `masked`. */
function withoutSecrets(value: unknown, path: readonly string[], masked: string[]): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name === "apiKey" && typeof inner === "string" && MASKED.test(inner)) masked.push(path.join("."));
    else kept[name] = withoutSecrets(inner, [...path, name], masked);
  }
  return kept;
}

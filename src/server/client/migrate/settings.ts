/** The settings of an index as another server shows them, as far as they can be set here. What cannot is told. */
import { indexPath, type Settings } from "../api.ts";
import { type Connection, ServerError } from "../connection.ts";
import { finished, TaskFailed } from "../task-events.ts";

type Note = (text: string) => void;

/** Servers show the beginning of a secret, if anything. */
const MASKED = /X\.\.\.$/;

export async function copySettings(to: Connection, uid: string, settings: Settings, note: Note): Promise<void> {
  const { embedders, ...others } = settings;
  await set(to, uid, others, note);
  for (const [name, embedder] of Object.entries(embedders ?? {})) await setEmbedder(to, uid, name, embedder, note);
}

/** Without those that need a feature which is switched off here, or that only a newer server has. */
async function set(to: Connection, uid: string, settings: Settings, note: Note): Promise<void> {
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
  const [, named] = /^(?:Setting|Unknown field) `(\w+)`/.exec(error.message) ?? [];
  return error instanceof ServerError && named !== undefined && Object.hasOwn(settings, named) ? named : null;
}

/** By itself: one that needs a feature, or a service that cannot be reached from here, does not keep others from it. */
async function setEmbedder(to: Connection, uid: string, name: string, shown: unknown, note: Note): Promise<void> {
  const masked: string[] = [];
  const embedder = withoutSecrets(shown, [name], masked);
  for (const place of masked) note(`${uid}: the key of the embedder ${place} is not shown by the server: set it here`);
  try {
    await finished(to, "PATCH", indexPath(uid, "/settings"), { body: { embedders: { [name]: embedder } } });
  } catch (error) {
    if (!(error instanceof TaskFailed) && !(error instanceof ServerError && error.status === 400)) throw error;
    const what = JSON.stringify(withoutHeaders(embedder));
    note(`${uid}: the embedder ${name} was left out, which was ${what}: ${(error as Error).message}`);
  }
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

/** Which may hold secrets, and are shown whole: not for a screen. */
function withoutHeaders(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === "headers" ? "…" : withoutHeaders(inner)]),
  );
}

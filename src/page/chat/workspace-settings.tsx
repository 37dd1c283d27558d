/** Which model a workspace asks, and with which key. */
import { useSignal } from "@preact/signals";
import { Loading, Problem } from "../parts/feedback.tsx";
import { JsonField } from "../parts/json-field.tsx";
import { change } from "../state/notices.ts";
import { useAnswer } from "../state/use-answer.ts";

export function WorkspaceSettings({ workspace }: { workspace: string }) {
  const path = `/chats/${encodeURIComponent(workspace)}/settings`;
  const { answer, problem, read } = useAnswer<Record<string, unknown>>(path);
  const edited = useSignal<unknown>(undefined);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    await change(`Settings of ${workspace}`, "PATCH", path, edited.value);
    await read();
  };
  return (
    <details class="card">
      <summary>Settings of {workspace}</summary>
      <Problem problem={problem.value} />
      {answer.value === null && problem.value === null && <Loading what="settings" />}
      {answer.value !== null && (
        <form onSubmit={save}>
          <JsonField
            label="Source, key, address and prompts"
            rows={14}
            value={withoutKey(answer.value)}
            onValue={(value) => {
              edited.value = value;
            }}
          />
          <p class="quiet">The key is not shown. To set another one, add "apiKey".</p>
          <button type="submit" disabled={edited.value === undefined}>
            Save
          </button>
        </form>
      )}
    </details>
  );
}

/** Only a part of it comes back, which must not take the place of the whole. */
function withoutKey(settings: Record<string, unknown>): Record<string, unknown> {
  const { apiKey: _, ...rest } = settings;
  return rest;
}

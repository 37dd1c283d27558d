/** Conversations with a model that searches the indexes by itself: set up a workspace, then ask. */
import { useSignal } from "@preact/signals";
import type { Page } from "../api/types.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { Choice, TextOf } from "../parts/field.tsx";
import { change } from "../state/notices.ts";
import { linkTo } from "../state/place.ts";
import { useAnswer } from "../state/use-answer.ts";
import { Conversation } from "./conversation.tsx";
import { WorkspaceSettings } from "./workspace-settings.tsx";

export function ChatPage() {
  const { answer, problem, read } = useAnswer<Page<{ uid: string }>>("/chats?limit=100");
  const picked = useSignal("");
  const made = useSignal("");
  if (problem.value?.code === "feature_not_enabled") return <FeatureOff />;
  const names = answer.value?.results.map(({ uid }) => uid) ?? [];
  const shown = picked.value || names[0];
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    const path = `/chats/${encodeURIComponent(made.value)}/settings`;
    if (!(await change(`Make the workspace ${made.value}`, "PATCH", path, { source: "openAi" }))) return;
    picked.value = made.value;
    made.value = "";
    await read();
  };
  return (
    <>
      <h1>Chat</h1>
      <Problem problem={problem.value} />
      {answer.value === null && problem.value === null && <Loading what="workspaces" />}
      <div class="row">
        {names.length > 0 && (
          <Choice
            label="Workspace"
            value={shown ?? ""}
            options={names.map((name) => [name, name] as const)}
            onChoice={(name) => {
              picked.value = name;
            }}
          />
        )}
        <form class="row" onSubmit={make}>
          <TextOf label="New workspace" required of={made} />
          <button type="submit">Make the workspace</button>
        </form>
      </div>
      {answer.value !== null && names.length === 0 && (
        <Empty title="No workspaces yet">
          <p>
            A workspace says which language model answers (OpenAI, Mistral, Azure, vLLM) and with which key. The model
            searches the indexes that have chat settings, and answers from what it finds.
          </p>
          <p>
            Make one with a name of your choice, then put its source and key into its settings.{" "}
            <a href="/docs/chat">How chats work</a>
          </p>
        </Empty>
      )}
      {shown !== undefined && (
        <div key={shown}>
          <WorkspaceSettings workspace={shown} />
          <Conversation workspace={shown} />
        </div>
      )}
    </>
  );
}

function FeatureOff() {
  return (
    <>
      <h1>Chat</h1>
      <Empty title="Chats are off">
        <p>
          Turn on the feature “chat completions” under <a href={linkTo("server")}>Server</a>.
        </p>
      </Empty>
    </>
  );
}

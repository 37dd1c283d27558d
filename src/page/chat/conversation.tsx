/** What was said; answers come word by word. */
import { useSignal } from "@preact/signals";
import { open } from "../api/client.ts";
import { eventsOf } from "../api/events.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import { Problem } from "../parts/feedback.tsx";
import { TextOf } from "../parts/field.tsx";

interface Message {
  role: "user" | "assistant";
  content: string;
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  error?: { message: string };
}

export function Conversation({ workspace }: { workspace: string }) {
  const messages = useSignal<readonly Message[]>([]);
  const model = useSignal("gpt-4o-mini");
  const typed = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<RequestProblem | null>(null);
  const hear = async (asked: readonly Message[]): Promise<void> => {
    const body = { model: model.value, messages: asked, stream: true };
    const response = await open("POST", `/chats/${encodeURIComponent(workspace)}/chat/completions`, { body });
    let content = "";
    for await (const { data } of eventsOf(response)) {
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error !== undefined) throw new Error(chunk.error.message);
      content += chunk.choices?.[0]?.delta?.content ?? "";
      messages.value = [...asked, { role: "assistant", content }];
    }
  };
  const say = async (event: Event): Promise<void> => {
    event.preventDefault();
    const asked = [...messages.value, { role: "user", content: typed.value } as const];
    messages.value = asked;
    typed.value = "";
    isBusy.value = true;
    problem.value = null;
    await hear(asked).catch((error: unknown) => {
      problem.value = problemOf(error);
    });
    isBusy.value = false;
  };
  return (
    <section aria-label="Conversation">
      <ol class="talk" aria-live="polite">
        {messages.value.map(({ role, content }, place) => (
          <li key={`${place}`} class={`card ${role}`}>
            <strong>{role === "user" ? "You" : "Model"}</strong>
            {"\n"}
            {content}
          </li>
        ))}
      </ol>
      <Problem problem={problem.value} />
      <form onSubmit={say}>
        <TextOf label="Question" required of={typed} />
        <TextOf label="Model" required of={model} />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Ask
        </button>
      </form>
    </section>
  );
}

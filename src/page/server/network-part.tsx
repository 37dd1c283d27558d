/** The servers that search together with this one. */
import { useSignal } from "@preact/signals";
import { Loading, Problem } from "../parts/feedback.tsx";
import { JsonField } from "../parts/json-field.tsx";
import { change } from "../state/notices.ts";
import { useAnswer } from "../state/use-answer.ts";

interface Network {
  self: string | null;
  remotes: Record<string, { url: string; status?: string }>;
}

export function NetworkPart({ isOn }: { isOn: boolean }) {
  return (
    <section class="card" aria-label="Network">
      <h2>Network</h2>
      {isOn ? <Remotes /> : <p class="quiet">Turn on the feature “network” to search several servers at once.</p>}
    </section>
  );
}

function Remotes() {
  const { answer, problem, read } = useAnswer<Network>("/network");
  const edited = useSignal<unknown>(undefined);
  const round = useSignal(0);
  if (answer.value === null)
    return problem.value === null ? <Loading what="network" /> : <Problem problem={problem.value} />;
  const remotes = Object.entries(answer.value.remotes ?? {});
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    await change("Change the network", "PATCH", "/network", edited.value);
    await read();
    round.value++;
  };
  return (
    <>
      <p>
        This server is called <strong>{answer.value.self ?? "nothing yet"}</strong>, and knows {remotes.length} others.
      </p>
      <ul>
        {remotes.map(([name, { url, status }]) => (
          <li key={name}>
            {name}: {url} {status !== undefined && <span class={`badge ${status}`}>{status}</span>}
          </li>
        ))}
      </ul>
      <form onSubmit={save}>
        <JsonField
          key={round.value}
          label="Change it"
          value={{ self: answer.value.self, remotes: answer.value.remotes }}
          onValue={(value) => {
            edited.value = withoutStatus(value);
          }}
        />
        <button type="submit" disabled={edited.value === undefined}>
          Save the network
        </button>
      </form>
    </>
  );
}

/** Whether a remote can be reached is told, and cannot be set. */
function withoutStatus(value: unknown): unknown {
  return value === undefined
    ? undefined
    : (JSON.parse(
        JSON.stringify(value, (name, part) => (name === "status" ? undefined : (part as unknown))),
      ) as unknown);
}

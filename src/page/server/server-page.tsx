/** The server as a whole: numbers, backups, features, network. */
import { useSignal } from "@preact/signals";
import { Confirm } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { Switch } from "../parts/field.tsx";
import { clusterNode } from "../state/cluster-node.ts";
import { change, write } from "../state/notices.ts";
import { useAnswer } from "../state/use-answer.ts";
import { wordsOf } from "../tasks/task-table.tsx";
import { MembersPart } from "./members-part.tsx";
import { MetricsPart } from "./metrics-part.tsx";
import { NetworkPart } from "./network-part.tsx";

export function ServerPage() {
  return (
    <>
      <h1>Server</h1>
      <MetricsPart />
      <BackupsPart />
      <FeaturesPart />
    </>
  );
}

function BackupsPart() {
  const asked = useSignal<"dumps" | "snapshots" | null>(null);
  const what = asked.value === "dumps" ? "dump" : "snapshot";
  return (
    <section class="card" aria-label="Backups">
      <h2>Backups</h2>
      <p>
        A <strong>dump</strong> can be read by every later version; it is imported at the start with --import-dump. A{" "}
        <strong>snapshot</strong> is a copy of the data as it lies on disk: quicker, for the same version
        (--import-snapshot). Both are written to the server’s own folders.
      </p>
      <div class="row">
        <button
          type="button"
          onClick={() => {
            asked.value = "dumps";
          }}
        >
          Make a dump
        </button>
        <button
          type="button"
          onClick={() => {
            asked.value = "snapshots";
          }}
        >
          Take a snapshot
        </button>
      </div>
      {asked.value !== null && (
        <Confirm
          title={`Make a ${what} now?`}
          action={`Make the ${what}`}
          onConfirm={() => write(`Make a ${what}`, "POST", `/${asked.value}`)}
          onClose={() => {
            asked.value = null;
          }}
        >
          <p>It takes room on the server’s disk, and other tasks wait for it.</p>
        </Confirm>
      )}
    </section>
  );
}

function FeaturesPart() {
  const { answer, problem, read } = useAnswer<Record<string, boolean>>("/experimental-features");
  const turn = async (name: string, on: boolean): Promise<void> => {
    await change(`${on ? "Turn on" : "Turn off"} ${wordsOf(name)}`, "PATCH", "/experimental-features", { [name]: on });
    await read();
  };
  return (
    <>
      <section class="card" aria-label="Features">
        <h2>Experimental features</h2>
        <Problem problem={problem.value} />
        {answer.value === null && problem.value === null && <Loading what="features" />}
        <ul class="documents columns">
          {Object.entries(answer.value ?? {}).map(([name, on]) => (
            <li key={name}>
              <Switch label={wordsOf(name)} on={on} onSwitch={(next) => void turn(name, next)} />
            </li>
          ))}
        </ul>
      </section>
      {clusterNode.value !== null && <MembersPart />}
      <NetworkPart key={String(answer.value?.["network"])} isOn={answer.value?.["network"] === true} />
    </>
  );
}

/** The keys there are: what each may do; make one, make tokens from one, delete one. */
import { useSignal } from "@preact/signals";
import { NO_KEYS } from "../api/problem.ts";
import type { Key, Page } from "../api/types.ts";
import { Confirm } from "../parts/dialog.tsx";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { timeText } from "../parts/format.ts";
import { change } from "../state/notices.ts";
import { useAnswer } from "../state/use-answer.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { TokenDialog } from "./token-dialog.tsx";

type Opened = { what: "new" } | { what: "token" | "delete"; of: Key } | null;

export function KeysPage() {
  const { answer: keys, problem, read } = useAnswer<Page<Key>>("/keys?limit=1000");
  const opened = useSignal<Opened>(null);
  const close = (): void => {
    opened.value = null;
  };
  const dialog = opened.value;
  if (problem.value?.code === NO_KEYS) return <NoMasterKey />;
  return (
    <>
      <div class="row between">
        <h1>Keys</h1>
        <button
          type="button"
          class="primary"
          onClick={() => {
            opened.value = { what: "new" };
          }}
        >
          Make a key
        </button>
      </div>
      <Problem problem={problem.value} />
      {keys.value === null && problem.value === null && <Loading what="keys" />}
      {keys.value?.results.map((each) => (
        <KeyCard
          key={each.uid}
          of={each}
          onOpen={(what) => {
            opened.value = { what, of: each };
          }}
        />
      ))}
      {dialog?.what === "new" && <NewKeyDialog onMade={read} onClose={close} />}
      {dialog?.what === "token" && <TokenDialog of={dialog.of} onClose={close} />}
      {dialog?.what === "delete" && (
        <Confirm
          title={`Delete ${nameOf(dialog.of)}`}
          action="Delete the key"
          onConfirm={async () => {
            await change(`Delete ${nameOf(dialog.of)}`, "DELETE", `/keys/${dialog.of.uid}`);
            await read();
          }}
          onClose={close}
        >
          <p>Whoever uses it, or a token made from it, will be refused from then on.</p>
        </Confirm>
      )}
    </>
  );
}

export function nameOf({ name, uid }: Key): string {
  return name ?? uid;
}

function NoMasterKey() {
  return (
    <>
      <h1>Keys</h1>
      <Empty title="This server has no keys">
        <p>
          Everybody may do everything. Start it with a master key (--master-key, or MEILI_MASTER_KEY) to change that.
        </p>
      </Empty>
    </>
  );
}

function KeyCard({ of, onOpen }: { of: Key; onOpen(what: "token" | "delete"): void }) {
  const isShown = useSignal(false);
  return (
    <section class="card" aria-label={nameOf(of)}>
      <h2>{nameOf(of)}</h2>
      {of.description !== null && <p class="quiet">{of.description}</p>}
      <dl class="fields">
        <div>
          <dt>actions</dt>
          <dd>{of.actions.join(", ")}</dd>
        </div>
        <div>
          <dt>indexes</dt>
          <dd>{of.indexes.join(", ")}</dd>
        </div>
        <div>
          <dt>expires</dt>
          <dd>{of.expiresAt === null ? "never" : timeText(of.expiresAt)}</dd>
        </div>
        <div>
          <dt>key</dt>
          <dd>
            <code>{isShown.value ? of.key : "•".repeat(16)}</code>
          </dd>
        </div>
      </dl>
      <div class="row end">
        <button
          type="button"
          class="small"
          onClick={() => {
            isShown.value = !isShown.value;
          }}
        >
          {isShown.value ? "Hide the key" : "Show the key"}
        </button>
        <button type="button" class="small" onClick={() => onOpen("token")}>
          Make a token
        </button>
        <button type="button" class="small danger" onClick={() => onOpen("delete")}>
          Delete
        </button>
      </div>
    </section>
  );
}

/** What turns documents and queries into vectors: which there are, and how far they have come. */
import { useSignal } from "@preact/signals";
import type { Document } from "../api/types.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { Choice, TextOf } from "../parts/field.tsx";
import { countText } from "../parts/format.ts";
import { JsonField } from "../parts/json-field.tsx";
import { stats } from "../state/indexes.ts";
import { useSettings } from "./use-settings.ts";

/** What a source needs at least; the rest is as good as the server's defaults. */
const SOURCES: Record<string, Document> = {
  userProvided: { source: "userProvided", dimensions: 384 },
  huggingFace: { source: "huggingFace", model: "sentence-transformers/all-MiniLM-L6-v2" },
  openAi: { source: "openAi", model: "text-embedding-3-small", apiKey: "" },
  ollama: { source: "ollama", model: "nomic-embed-text", url: "http://localhost:11434/api/embeddings" },
  rest: { source: "rest", url: "", request: "{{text}}", response: "{{embedding}}" },
};

export function EmbeddersTab({ uid }: { uid: string }) {
  const { saved, problem, save } = useSettings(uid);
  const edited = useSignal<{ name: string; embedder: Document } | null>(null);
  const removed = useSignal<string | null>(null);
  if (saved.value === null) {
    return problem.value === null ? <Loading what="embedders" /> : <Problem problem={problem.value} />;
  }
  const embedders = Object.entries(saved.value.embedders ?? {});
  const numbers = stats.value?.indexes[uid];
  return (
    <>
      <div class="row between">
        <p>
          {countText(numbers?.numberOfEmbeddedDocuments ?? 0)} documents have{" "}
          {countText(numbers?.numberOfEmbeddings ?? 0)} vectors.
        </p>
        <button
          type="button"
          class="primary"
          onClick={() => {
            edited.value = { name: "", embedder: SOURCES["userProvided"]! };
          }}
        >
          Add an embedder
        </button>
      </div>
      {embedders.length === 0 && (
        <Empty title="No embedders">
          <p>With one, searches find by meaning, and documents that are alike.</p>
        </Empty>
      )}
      {embedders.map(([name, embedder]) => (
        <section key={name} class="card" aria-label={name}>
          <h2>{name}</h2>
          <pre>{JSON.stringify(embedder, null, 2)}</pre>
          <div class="row end">
            <button
              type="button"
              aria-label={`Change ${name}`}
              onClick={() => {
                edited.value = { name, embedder };
              }}
            >
              Change
            </button>
            <button
              type="button"
              class="danger"
              aria-label={`Remove ${name}`}
              onClick={() => {
                removed.value = name;
              }}
            >
              Remove
            </button>
          </div>
        </section>
      ))}
      {edited.value !== null && (
        <EmbedderDialog
          {...edited.value}
          onSave={(name, embedder) => save({ embedders: { [name]: embedder } })}
          onClose={() => {
            edited.value = null;
          }}
        />
      )}
      {removed.value !== null && (
        <Confirm
          title={`Remove ${removed.value}`}
          action="Remove the embedder"
          onConfirm={() => save({ embedders: { [removed.value!]: null } as unknown as Record<string, Document> })}
          onClose={() => {
            removed.value = null;
          }}
        >
          <p>Its vectors go with it; documents would have to be embedded again.</p>
        </Confirm>
      )}
    </>
  );
}

interface EmbedderDialogProps {
  name: string;
  embedder: Document;
  onSave(name: string, embedder: Document): void;
  onClose(): void;
}

function EmbedderDialog({ name: givenName, embedder, onSave, onClose }: EmbedderDialogProps) {
  const name = useSignal(givenName);
  const source = useSignal(String(embedder["source"]));
  const value = useSignal<unknown>(embedder);
  const save = (event: Event): void => {
    event.preventDefault();
    onClose();
    onSave(name.value, value.value as Document);
  };
  const chooseSource = (chosen: string): void => {
    source.value = chosen;
    value.value = SOURCES[chosen]!;
  };
  return (
    <Dialog title="Embedder" wide onClose={onClose}>
      <form onSubmit={save}>
        <TextOf label="Name" required of={name} />
        <Choice
          label="Source"
          value={source.value}
          options={Object.keys(SOURCES).map((each) => [each, each] as const)}
          onChoice={chooseSource}
        />
        <JsonField
          key={source.value}
          label="All of it"
          rows={12}
          value={source.value === embedder["source"] ? embedder : SOURCES[source.value]}
          onValue={(next) => {
            value.value = next;
          }}
        />
        <div class="row end">
          <button type="submit" class="primary" disabled={value.value === undefined}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The documents of an index: browse, filter, add, change, delete. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, indexPath } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { Document, Page } from "../api/types.ts";
import { Confirm } from "../parts/dialog.tsx";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { TextField } from "../parts/field.tsx";
import { countText } from "../parts/format.ts";
import { indexes } from "../state/indexes.ts";
import { key } from "../state/key.ts";
import { write } from "../state/notices.ts";
import { DocumentDialog } from "./document-dialog.tsx";
import { DropZone } from "./drop-zone.tsx";

const SHOWN = 10;

export function DocumentsTab({ uid }: { uid: string }) {
  const filter = useSignal("");
  const offset = useSignal(0);
  const round = useSignal(0);
  const found = useSignal<Page<Document> | null>(null);
  const problem = useSignal<RequestProblem | null>(null);
  const edited = useSignal<Document | null>(null);
  const removed = useSignal<Document | null>(null);
  const primaryKey = indexes.value?.find((each) => each.uid === uid)?.primaryKey ?? "id";
  useEffect(() => {
    let isLast = true;
    const body = {
      limit: SHOWN,
      offset: offset.value,
      ...(filter.value.trim() === "" ? {} : { filter: filter.value }),
    };
    ask<Page<Document>>("POST", indexPath(uid, "/documents/fetch"), { body }).then(
      (page) => {
        if (!isLast) return;
        found.value = page;
        problem.value = null;
      },
      (error) => {
        if (isLast) problem.value = problemOf(error);
      },
    );
    return () => {
      isLast = false;
    };
  }, [uid, filter.value, offset.value, round.value, key.value]);
  const lookAgain = (): void => {
    round.value++;
  };
  const total = found.value?.total ?? 0;
  return (
    <>
      <DropZone uid={uid} onDone={lookAgain} />
      <div class="row between">
        <TextField
          label="Filter"
          value={filter.value}
          placeholder="year > 1990"
          onText={(text) => {
            filter.value = text;
            offset.value = 0;
          }}
        />
        <button
          type="button"
          onClick={() => {
            edited.value = { [primaryKey]: "" };
          }}
        >
          Add a document
        </button>
      </div>
      <Problem problem={problem.value} />
      {found.value === null && problem.value === null && <Loading what="documents" />}
      {found.value?.results.length === 0 && (
        <Empty title="No documents">
          <p>{filter.value === "" ? "Drop a file above, or add one by hand." : "None is as the filter says."}</p>
        </Empty>
      )}
      <ul class="documents">
        {found.value?.results.map((document) => {
          const id = String(document[primaryKey]);
          return (
            <li key={id} class="card">
              <pre>{JSON.stringify(document, null, 2)}</pre>
              <div class="row end">
                <button
                  type="button"
                  class="small"
                  aria-label={`Edit document ${id}`}
                  onClick={() => {
                    edited.value = document;
                  }}
                >
                  Edit
                </button>
                <button
                  type="button"
                  class="small danger"
                  aria-label={`Delete document ${id}`}
                  onClick={() => {
                    removed.value = document;
                  }}
                >
                  Delete
                </button>
              </div>
            </li>
          );
        })}
      </ul>
      {total > SHOWN && (
        <nav class="row center" aria-label="Pages of documents">
          <button
            type="button"
            disabled={offset.value === 0}
            onClick={() => {
              offset.value -= SHOWN;
            }}
          >
            ← Previous
          </button>
          <span>
            {countText(offset.value + 1)} to {countText(Math.min(offset.value + SHOWN, total))} of {countText(total)}
          </span>
          <button
            type="button"
            disabled={offset.value + SHOWN >= total}
            onClick={() => {
              offset.value += SHOWN;
            }}
          >
            Next →
          </button>
        </nav>
      )}
      {edited.value !== null && (
        <DocumentDialog
          uid={uid}
          title={edited.value[primaryKey] === "" ? "Add a document" : `Edit document ${edited.value[primaryKey]}`}
          document={edited.value}
          onSaved={lookAgain}
          onClose={() => {
            edited.value = null;
          }}
        />
      )}
      {removed.value !== null && (
        <Confirm
          title={`Delete document ${removed.value[primaryKey]}`}
          action="Delete the document"
          onConfirm={async () => {
            const id = String(removed.value![primaryKey]);
            const path = indexPath(uid, `/documents/${encodeURIComponent(id)}`);
            await write(`Delete document ${id}`, "DELETE", path);
            lookAgain();
          }}
          onClose={() => {
            removed.value = null;
          }}
        >
          <p>It will be gone. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}

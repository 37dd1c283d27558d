/** All indexes: how large they are; make one, exchange two, delete one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { indexPath } from "../api/client.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { ChoiceOf, TextOf } from "../parts/field.tsx";
import { bytesText, countText, timeText } from "../parts/format.ts";
import { type Column, Table } from "../parts/table.tsx";
import { indexes, indexesProblem, readIndexes, stats } from "../state/indexes.ts";
import { write } from "../state/notices.ts";
import { linkTo } from "../state/place.ts";

const COLUMNS: readonly Column[] = [
  { title: "Index" },
  { title: "Documents", kind: "number" },
  { title: "Size", kind: "number" },
  { title: "Primary key" },
  { title: "Changed" },
  { title: "Actions", kind: "buttons" },
];

export function IndexesPage() {
  const opened = useSignal<"create" | "swap" | { remove: string } | null>(null);
  useEffect(() => void readIndexes(), []);
  const known = indexes.value;
  const close = (): void => {
    opened.value = null;
  };
  const dialog = opened.value;
  return (
    <>
      <div class="row between">
        <h1>Indexes</h1>
        <div class="row">
          <button
            type="button"
            disabled={(known?.length ?? 0) < 2}
            onClick={() => {
              opened.value = "swap";
            }}
          >
            Swap two
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              opened.value = "create";
            }}
          >
            Create an index
          </button>
        </div>
      </div>
      <Problem problem={indexesProblem.value} />
      {known === null && indexesProblem.value === null && <Loading what="indexes" />}
      {known?.length === 0 && (
        <Empty title="No indexes yet">
          <p>An index holds documents of one kind. Create one, then drop a file of documents on it.</p>
        </Empty>
      )}
      {known !== null && known.length > 0 && (
        <IndexTable
          onDelete={(uid) => {
            opened.value = { remove: uid };
          }}
        />
      )}
      {dialog === "create" && <CreateDialog onClose={close} />}
      {dialog === "swap" && <SwapDialog onClose={close} />}
      {dialog !== null && typeof dialog === "object" && (
        <Confirm
          title={`Delete ${dialog.remove}`}
          action="Delete the index"
          typed={dialog.remove}
          onConfirm={() => write(`Delete ${dialog.remove}`, "DELETE", indexPath(dialog.remove))}
          onClose={close}
        >
          <p>The index, its documents and its settings will be gone. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}

function IndexTable({ onDelete }: { onDelete(uid: string): void }) {
  return (
    <Table columns={COLUMNS} stacks>
      {indexes.value?.map(({ uid, primaryKey, updatedAt }) => {
        const numbers = stats.value?.indexes[uid];
        return (
          <tr key={uid}>
            <td data-title="Index">
              <div>
                <a href={linkTo("indexes", uid)}>{uid}</a>{" "}
                {numbers?.isIndexing && <span class="badge processing">indexing</span>}
              </div>
            </td>
            <td class="number" data-title="Documents">
              {numbers && countText(numbers.numberOfDocuments)}
            </td>
            <td class="number" data-title="Size">
              {numbers && bytesText(numbers.rawDocumentDbSize)}
            </td>
            <td data-title="Primary key">{primaryKey ?? <span class="quiet">not known yet</span>}</td>
            <td data-title="Changed">{timeText(updatedAt)}</td>
            <td data-title="">
              <div class="row">
                <a href={linkTo("search", uid)}>Search</a>
                <button type="button" class="small danger" aria-label={`Delete ${uid}`} onClick={() => onDelete(uid)}>
                  Delete
                </button>
              </div>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const uid = useSignal("");
  const primaryKey = useSignal("");
  const create = (event: Event): void => {
    event.preventDefault();
    void write(`Create ${uid.value}`, "POST", "/indexes", { uid: uid.value, primaryKey: primaryKey.value || null });
    onClose();
  };
  return (
    <Dialog title="Create an index" onClose={onClose}>
      <form onSubmit={create}>
        <TextOf label="Name" required autofocus of={uid} hint="Letters, digits, - and _" />
        <TextOf
          label="Primary key"
          of={primaryKey}
          hint="The field that tells documents apart; left empty, the server looks for one that ends in “id”"
        />
        <div class="row end">
          <button type="submit" class="primary">
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function SwapDialog({ onClose }: { onClose(): void }) {
  const options = (indexes.value ?? []).map(({ uid }) => [uid, uid] as const);
  const one = useSignal(options[0]![0]);
  const other = useSignal(options[1]![0]);
  const swap = (event: Event): void => {
    event.preventDefault();
    const body = [{ indexes: [one.value, other.value] }];
    void write(`Swap ${one.value} and ${other.value}`, "POST", "/swap-indexes", body);
    onClose();
  };
  return (
    <Dialog title="Swap two indexes" onClose={onClose}>
      <form onSubmit={swap}>
        <p>Each will answer under the name of the other, at once and without a gap.</p>
        <ChoiceOf label="One" of={one} options={options} />
        <ChoiceOf label="The other" of={other} options={options} />
        <div class="row end">
          <button type="submit" class="primary" disabled={one.value === other.value}>
            Swap
          </button>
        </div>
      </form>
    </Dialog>
  );
}

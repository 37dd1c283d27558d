/** A document as JSON, to be changed and saved in place of what is there. */
import { useSignal } from "@preact/signals";
import { indexPath } from "../api/client.ts";
import type { Document } from "../api/types.ts";
import { Dialog } from "../parts/dialog.tsx";
import { JsonField } from "../parts/json-field.tsx";
import { write } from "../state/notices.ts";

interface DocumentDialogProps {
  uid: string;
  title: string;
  document: Document;
  onSaved(): void;
  onClose(): void;
}

export function DocumentDialog({ uid, title, document, onSaved, onClose }: DocumentDialogProps) {
  const changed = useSignal<unknown>(document);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    onClose();
    await write("Save the document", "POST", indexPath(uid, "/documents"), changed.value);
    onSaved();
  };
  return (
    <Dialog title={title} wide onClose={onClose}>
      <form onSubmit={save}>
        <JsonField
          label="JSON"
          value={document}
          rows={18}
          onValue={(value) => {
            changed.value = value;
          }}
        />
        <div class="row end">
          <button type="submit" class="primary" disabled={changed.value === undefined}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

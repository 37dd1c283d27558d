/** A new key: what it may do, on which indexes, until when. */
import { useSignal } from "@preact/signals";
import { Dialog } from "../parts/dialog.tsx";
import { TextOf } from "../parts/field.tsx";
import { change } from "../state/notices.ts";

const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

export function NewKeyDialog({ onMade, onClose }: { onMade(): void; onClose(): void }) {
  const name = useSignal("");
  const actions = useSignal("search");
  const indexes = useSignal("*");
  const expiry = useSignal("");
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    onClose();
    const isMade = await change(`Make the key ${name.value}`, "POST", "/keys", {
      name: name.value,
      actions: wordsIn(actions.value),
      indexes: wordsIn(indexes.value),
      expiresAt: expiry.value === "" ? null : new Date(expiry.value).toISOString(),
    });
    if (isMade) onMade();
  };
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form onSubmit={make}>
        <TextOf label="Name" required autofocus of={name} />
        <TextOf
          label="Actions"
          required
          of={actions}
          hint="search, documents.add, tasks.get, settings.*, … or * for all"
        />
        <TextOf
          label="Indexes"
          required
          of={indexes}
          hint="Names, or beginnings of names with a * behind, or * for all"
        />
        <TextOf label="Expires" type="datetime-local" of={expiry} hint="Left empty: never" />
        <div class="row end">
          <button type="submit" class="primary">
            Make the key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

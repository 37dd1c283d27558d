/** Asks for a key: when the reader wants to give one, and once by itself when the server refuses to answer without. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { Dialog } from "./parts/dialog.tsx";
import { TextOf } from "./parts/field.tsx";
import { key, refusedKey, takeKey } from "./state/key.ts";

export function KeyButton() {
  const isOpen = useSignal(false);
  useSignalEffect(() => {
    if (refusedKey.value !== null && key.value === "") isOpen.value = true;
  });
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {key.value === "" ? "Key" : "Key ✓"}
      </button>
      {isOpen.value && <KeyDialog onClose={close} />}
    </>
  );
}

function KeyDialog({ onClose }: { onClose(): void }) {
  const typed = useSignal("");
  const take = (event: Event): void => {
    event.preventDefault();
    takeKey(typed.value.trim());
    onClose();
  };
  return (
    <Dialog title="Key" onClose={onClose}>
      <form onSubmit={take}>
        {refusedKey.value !== null && <p class="notice bad">{refusedKey.value}</p>}
        <p>
          The master key, one of the keys made from it, or a tenant token. It is kept in this tab until you close it,
          and sent to this server only.
        </p>
        <TextOf label="Key" type="password" required autofocus of={typed} />
        <div class="row end">
          {key.value !== "" && (
            <button
              type="button"
              onClick={() => {
                takeKey("");
                onClose();
              }}
            >
              Forget the key
            </button>
          )}
          <button type="submit" class="primary">
            Use this key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A window over the page: the browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  title: string;
  onClose(): void;
  wide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={wide ? "wide" : ""} aria-labelledby={titleId} onClose={onClose}>
      <div class="row between">
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What the button says that does it. */
  action: string;
  /** To be typed in before it can be done; for what cannot be undone. */
  typed?: string;
  onConfirm(): void;
  onClose(): void;
  children: ComponentChildren;
}

export function Confirm({ title, action, typed, onConfirm, onClose, children }: ConfirmProps) {
  const button = useRef<HTMLButtonElement>(null);
  const check = (event: Event): void => {
    button.current!.disabled = (event.currentTarget as HTMLInputElement).value !== typed;
  };
  const confirm = (event: Event): void => {
    event.preventDefault();
    onConfirm();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        {children}
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <strong>{typed}</strong> to confirm
            </span>
            <input autocomplete="off" onInput={check} />
          </label>
        )}
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" ref={button} disabled={typed !== undefined}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

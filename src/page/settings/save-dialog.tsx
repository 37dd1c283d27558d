/** What is about to change, line by line, and what it costs; then it is saved, or not. */
import { Dialog } from "../parts/dialog.tsx";
import { COSTS, SETTINGS } from "./descriptions.ts";
import { type Changed, diffValues } from "./diff.ts";

const SIGNS = { same: " ", gone: "−", new: "+" };

interface SaveDialogProps {
  changes: readonly Changed[];
  onSave(): void;
  onClose(): void;
}

export function SaveDialog({ changes, onSave, onClose }: SaveDialogProps) {
  const save = (event: Event): void => {
    event.preventDefault();
    onClose();
    onSave();
  };
  return (
    <Dialog title="Save these changes?" wide onClose={onClose}>
      <form onSubmit={save}>
        {changes.map(({ name, before, after }) => (
          <section key={name} aria-label={name}>
            <h3>
              {name} <span class="quiet">({costOf(name)})</span>
            </h3>
            <pre class="diff">
              {after === null
                ? "back to the default"
                : diffValues(before, after).map(({ kind, text }, place) => (
                    <span key={`${place}`} class={kind}>
                      {SIGNS[kind]} {text}
                      {"\n"}
                    </span>
                  ))}
            </pre>
          </section>
        ))}
        <div class="row end">
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function costOf(name: string): string {
  return COSTS[SETTINGS.find((each) => each.name === name)?.rebuilds ?? "vectors"];
}

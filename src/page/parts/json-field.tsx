/** JSON to be edited as text; says what is wrong with it while it is wrong. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";

interface JsonFieldProps {
  label: string;
  /** At first; what is typed afterwards stays. */
  value: unknown;
  rows?: number;
  /** Undefined while the text is no JSON. */
  onValue(value: unknown): void;
}

export function JsonField({ label, value, rows = 6, onValue }: JsonFieldProps) {
  const text = useSignal(JSON.stringify(value, null, 2));
  const wrong = useSignal<string | null>(null);
  const hintId = useId();
  const hear = (typed: string): void => {
    text.value = typed;
    try {
      onValue(JSON.parse(typed) as unknown);
      wrong.value = null;
    } catch (error) {
      onValue(undefined);
      wrong.value = (error as Error).message;
    }
  };
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        <textarea
          rows={rows}
          spellcheck={false}
          value={text.value}
          aria-invalid={wrong.value !== null}
          aria-describedby={hintId}
          onInput={(event) => hear(event.currentTarget.value)}
        />
      </label>
      <small id={hintId} class="failure">
        {wrong.value}
      </small>
    </div>
  );
}

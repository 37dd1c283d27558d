/** Labelled inputs: text, choice and switch. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

interface TextFieldProps {
  label: string;
  value: string;
  type?: "text" | "password" | "number" | "datetime-local";
  hint?: ComponentChildren;
  placeholder?: string;
  required?: boolean;
  autofocus?: boolean;
  onText(text: string): void;
}

export function TextField({ label, hint, onText, ...rest }: TextFieldProps) {
  const hintId = useId();
  const hear = (event: InputEvent): void => onText((event.currentTarget as HTMLInputElement).value);
  // The types of Preact want to know which of the types of inputs it is.
  const attributes = { ...rest, autocomplete: "off", spellcheck: false, onInput: hear } as InputHTMLAttributes;
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        <input {...attributes} aria-describedby={hint === undefined ? undefined : hintId} />
      </label>
      {hint !== undefined && (
        <small id={hintId} class="quiet">
          {hint}
        </small>
      )}
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  value: number;
  step: number;
  onNumber(value: number): void;
}

/** Tells of numbers only: what is half typed is nobody's business. */
export function NumberField({ label, value, step, onNumber }: NumberFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        step={step}
        value={value}
        onChange={(event) => {
          const number = event.currentTarget.valueAsNumber;
          if (Number.isFinite(number)) onNumber(number);
        }}
      />
    </label>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  /** Value and what is shown for it. */
  options: readonly (readonly [string, string])[];
  onChoice(value: string): void;
}

export function Choice({ label, value, options, onChoice }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoice(event.currentTarget.value)}>
        {options.map(([name, shown]) => (
          <option key={name} value={name} selected={name === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Switch({ label, on, onSwitch }: { label: string; on: boolean; onSwitch(on: boolean): void }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={on} onChange={(event) => onSwitch(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A text that belongs to a signal alone. */
export function TextOf({ of, ...rest }: Omit<TextFieldProps, "value" | "onText"> & { of: Signal<string> }) {
  const take = (text: string): void => {
    of.value = text;
  };
  return <TextField {...rest} value={of.value} onText={take} />;
}

/** A choice that belongs to a signal alone. */
export function ChoiceOf<T extends string>({
  of,
  ...rest
}: Pick<ChoiceProps, "label" | "options"> & { of: Signal<T> }) {
  const take = (value: string): void => {
    of.value = value as T;
  };
  return <Choice {...rest} value={of.value} onChoice={take} />;
}

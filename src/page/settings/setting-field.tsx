/** One setting as the input that fits it, with a way back to its default. */
import { Choice, Switch, TextField } from "../parts/field.tsx";
import { JsonField } from "../parts/json-field.tsx";
import type { SettingDescription } from "./descriptions.ts";
import { readLines } from "./lines.ts";

interface SettingFieldProps {
  description: SettingDescription;
  value: unknown;
  /** Null for the default; undefined while what is typed cannot be read. */
  onValue(value: unknown): void;
}

export function SettingField({ description, value, onValue }: SettingFieldProps) {
  const { name, about } = description;
  return (
    <div class="setting">
      <Input description={description} value={value} onValue={onValue} />
      <div class="row between">
        <small class="quiet grow">{about}</small>
        <button type="button" class="small" aria-label={`Default of ${name}`} onClick={() => onValue(null)}>
          Default
        </button>
      </div>
    </div>
  );
}

function Input({ description, value, onValue }: SettingFieldProps) {
  const { name, choices = [] } = description;
  switch (kindOf(description, value)) {
    case "flag":
      return <Switch label={name} on={value === true} onSwitch={onValue} />;
    case "choice":
      return (
        <Choice
          label={name}
          value={String(value ?? "")}
          options={[
            ...(value === null ? [["", "default"] as const] : []),
            ...choices.map((each) => [each, each] as const),
          ]}
          onChoice={onValue}
        />
      );
    case "text":
      return (
        <TextField label={name} value={String(value ?? "")} onText={(text) => onValue(text === "" ? null : text)} />
      );
    case "count":
      return (
        <TextField
          label={name}
          type="number"
          value={String(value ?? "")}
          onText={(text) => onValue(text === "" ? null : Number(text))}
        />
      );
    case "lines":
    case "names":
      return <LinesField name={name} value={value as string[] | null} onValue={onValue} />;
    case "json":
      // The text begins anew where the value was set to the default.
      return (
        <JsonField
          key={value === null ? "default" : "own"}
          label={name}
          value={value ?? null}
          rows={5}
          onValue={onValue}
        />
      );
  }
}

function kindOf({ kind }: SettingDescription, value: unknown): SettingDescription["kind"] {
  const isOfNames = value === null || (Array.isArray(value) && value.every((each) => typeof each === "string"));
  return kind === "names" && !isOfNames ? "json" : kind;
}

function LinesField({ name, value, onValue }: { name: string; value: string[] | null; onValue(value: unknown): void }) {
  const hear = (text: string): void => onValue(readLines(text));
  return (
    <label class="field">
      <span>{name}</span>
      <textarea
        rows={Math.min(Math.max((value?.length ?? 0) + 1, 2), 8)}
        spellcheck={false}
        placeholder={value === null ? "default" : "one a line"}
        value={(value ?? []).join("\n")}
        onInput={(event) => hear(event.currentTarget.value)}
      />
    </label>
  );
}

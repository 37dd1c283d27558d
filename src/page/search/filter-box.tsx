/** The filter as text, and a row that puts conditions together for those who do not know its language. */
import { useSignal } from "@preact/signals";
import { ChoiceOf, TextField, TextOf } from "../parts/field.tsx";
import { and, condition, OPERATORS, type Operator, takesValue } from "./filters.ts";
import * as state from "./state.ts";

export function FilterBox() {
  const setFilter = (text: string): void =>
    state.refine(() => {
      state.filter.value = text;
    });
  const names = state.filterableNames.value;
  return (
    <>
      <TextField label="Filter" value={state.filter.value} placeholder="year > 1990" onText={setFilter} />
      {names.length > 0 && (
        <details>
          <summary>Build a filter</summary>
          <Builder names={names} onCondition={(more) => setFilter(and(state.filter.value, more))} />
        </details>
      )}
    </>
  );
}

function Builder({ names, onCondition }: { names: readonly string[]; onCondition(text: string): void }) {
  const attribute = useSignal(names[0]!);
  const operator = useSignal<Operator>("=");
  const value = useSignal("");
  const add = (event: Event): void => {
    event.preventDefault();
    onCondition(condition(attribute.value, operator.value, value.value));
    value.value = "";
  };
  return (
    <form class="builder" onSubmit={add}>
      <ChoiceOf label="Attribute" of={attribute} options={names.map((name) => [name, name] as const)} />
      <ChoiceOf label="Condition" of={operator} options={OPERATORS.map((name) => [name, name] as const)} />
      {takesValue(operator.value) && <TextOf label="Value" required of={value} />}
      <button type="submit">Add to the filter</button>
    </form>
  );
}

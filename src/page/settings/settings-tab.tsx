/** The settings of an index as forms. Nothing changes before the reader has seen what will. */
import { useSignal } from "@preact/signals";
import type { Settings } from "../api/types.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { SETTINGS } from "./descriptions.ts";
import { changesBetween } from "./diff.ts";
import { SaveDialog } from "./save-dialog.tsx";
import { SettingField } from "./setting-field.tsx";
import { useSettings } from "./use-settings.ts";

const GROUPS = [...new Set(SETTINGS.map(({ group }) => group))];

export function SettingsTab({ uid }: { uid: string }) {
  const { saved, problem, save } = useSettings(uid);
  const edited = useSignal<Settings>({});
  /** Counts how often the forms began anew. */
  const round = useSignal(0);
  const isAsking = useSignal(false);
  if (saved.value === null)
    return problem.value === null ? <Loading what="settings" /> : <Problem problem={problem.value} />;
  const changes = changesBetween(saved.value, edited.value);
  const isWrong = Object.values(edited.value).includes(undefined);
  const forget = (): void => {
    edited.value = {};
    round.value++;
  };
  // Settings of features that are off are not there.
  const shown = SETTINGS.filter(({ name }) => name in saved.value!);
  return (
    <form
      key={round.value}
      onSubmit={(event) => {
        event.preventDefault();
        isAsking.value = true;
      }}
    >
      <Problem problem={problem.value} />
      {GROUPS.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <div class="columns">
            {shown
              .filter((each) => each.group === group)
              .map((description) => {
                const { name } = description;
                const value = name in edited.value ? edited.value[name] : saved.value![name];
                return (
                  <div key={name} class="card">
                    <SettingField
                      description={description}
                      value={value}
                      onValue={(next) => {
                        edited.value = { ...edited.value, [name]: next };
                      }}
                    />
                  </div>
                );
              })}
          </div>
        </section>
      ))}
      <div class="row end save">
        <span role="status">{changes.length === 0 ? "Nothing changed" : `${changes.length} changed`}</span>
        <button type="button" disabled={changes.length === 0} onClick={forget}>
          Undo
        </button>
        <button type="submit" class="primary" disabled={changes.length === 0 || isWrong}>
          Review the changes
        </button>
      </div>
      {isAsking.value && (
        <SaveDialog
          changes={changes}
          onSave={async () => {
            await save(Object.fromEntries(changes.map(({ name, after }) => [name, after])));
            forget();
          }}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </form>
  );
}

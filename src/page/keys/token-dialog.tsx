/** A token for a tenant: searches with it see what its rules let through. */
import { useSignal } from "@preact/signals";
import type { Key } from "../api/types.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextOf } from "../parts/field.tsx";
import { JsonField } from "../parts/json-field.tsx";
import { nameOf } from "./keys-page.tsx";
import { canSign, tenantToken } from "./token.ts";

const HOUR_S = 3600;

export function TokenDialog({ of, onClose }: { of: Key; onClose(): void }) {
  const rules = useSignal<unknown>({ "*": { filter: "tenant = 1" } });
  const hours = useSignal("24");
  const token = useSignal("");
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    const exp = Math.floor(Date.now() / 1000) + Number(hours.value) * HOUR_S;
    const claims = { apiKeyUid: of.uid, searchRules: rules.value, ...(hours.value === "" ? {} : { exp }) };
    token.value = await tenantToken(claims, of.key);
  };
  return (
    <Dialog title={`A token from ${nameOf(of)}`} onClose={onClose}>
      {canSign() ? (
        <form onSubmit={make}>
          <JsonField
            label="Search rules"
            rows={5}
            value={rules.value}
            onValue={(value) => {
              rules.value = value;
            }}
          />
          <TextOf label="Hours it is good for" type="number" of={hours} hint="Left empty: as long as its key" />
          <div class="row end">
            <button type="submit" class="primary" disabled={rules.value === undefined}>
              Make the token
            </button>
          </div>
          {token.value !== "" && <CodeBlock title="Token" text={token.value} />}
        </form>
      ) : (
        <p class="notice bad">
          Browsers sign only over https, or on localhost. Open this page in one of these ways to make tokens.
        </p>
      )}
    </Dialog>
  );
}

/** The key the page asks with. It stays in this tab: other tabs, and this one once it is closed, know nothing of it. */
import { effect, signal } from "@preact/signals";

const NAME = "sabre-key";

export const key = signal(sessionStorage.getItem(NAME) ?? "");
/** Why the server wants another key; null while it is content. */
export const refusedKey = signal<string | null>(null);

effect(() => {
  if (key.value === "") sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, key.value);
});

export function takeKey(next: string): void {
  refusedKey.value = null;
  key.value = next;
}

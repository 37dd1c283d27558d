/** Dark or light: as the system says, or as chosen here. */
import { effect, signal } from "@preact/signals";

const NAME = "sabre-theme";
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const kept = localStorage.getItem(NAME);
export const theme = signal<Theme>(THEMES.find((name) => name === kept) ?? "system");

effect(() => {
  localStorage.setItem(NAME, theme.value);
  document.documentElement.dataset["theme"] = theme.value;
});

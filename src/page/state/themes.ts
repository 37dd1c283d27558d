/** The colours that can be chosen, and what is kept of the choice: for the page, and for the documentation. */
const NAME = "sabre-theme";
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const THEME_NAMES: Record<Theme, string> = { system: "Auto", light: "Light", dark: "Dark" };

export function keptTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  return THEMES.find((name) => name === kept) ?? "system";
}

export function putTheme(theme: Theme): void {
  localStorage.setItem(NAME, theme);
  document.documentElement.dataset["theme"] = theme;
}

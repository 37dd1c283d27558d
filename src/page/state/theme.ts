/** Dark or light: as the system says, or as chosen here. */
import { effect, signal } from "@preact/signals";
import { keptTheme, putTheme } from "./themes.ts";

export const theme = signal(keptTheme());

effect(() => putTheme(theme.value));

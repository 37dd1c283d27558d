/** Whether there is room for things side by side. */
import { signal } from "@preact/signals";

const media = matchMedia("(min-width: 50rem)");
export const isWide = signal(media.matches);
media.addEventListener("change", () => {
  isWide.value = media.matches;
});

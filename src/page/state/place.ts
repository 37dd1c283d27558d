/** Where the reader is: the part of the address behind `#`, such as `#/search/movies`. */
import { computed, signal } from "@preact/signals";

const address = signal(location.hash);
addEventListener("hashchange", () => {
  address.value = location.hash;
});

/** The words between the slashes, decoded. */
export const place = computed(() =>
  address.value
    .replace(/^#\/?/, "")
    .split("/")
    .filter((word) => word !== "")
    .map(decodeURIComponent),
);

export function linkTo(...words: string[]): string {
  return `#/${words.map(encodeURIComponent).join("/")}`;
}

export function go(...words: string[]): void {
  location.hash = linkTo(...words);
}

/**
 * Requests that were never sent before although they ask for the same work: a server that keeps whole answers has none for
 * them, so that searching is what is measured. The number stands where it changes nothing, in the marker of cropped texts.
 */
import type { SearchBody } from "./queries.ts";

/** In the text of a request: where its number goes. */
export const NUMBER_PLACE = "########";

let next = 0;

/** Sets numbers apart, so that no two requests of a run get the same one; answers the first. */
export function takeNumbers(count: number): number {
  const first = next;
  next += count;
  return first;
}

export function withPlace(body: SearchBody): SearchBody {
  return { ...body, cropMarker: NUMBER_PLACE };
}

/** A text without a place for it stays as it is. */
export function numbered(text: string, number: number): string {
  return text.replace(NUMBER_PLACE, digitsOf(number));
}

/** As long as the place, so that the length of a request does not change. */
export function digitsOf(number: number): string {
  return `${number % 10 ** NUMBER_PLACE.length}`.padStart(NUMBER_PLACE.length, "0");
}

/** Addresses that others are called at. */
import { limits } from "../limits.ts";
import type { Place } from "./validate.ts";

export function checkUrl(value: string, at: Place): void {
  if (value.length > limits.urlUnits) at.refuse(`the address is too long, at most ${limits.urlUnits} characters.`);
  if (!URL.canParse(value)) at.refuse(`could not parse \`${value}\` as a URL.`);
}

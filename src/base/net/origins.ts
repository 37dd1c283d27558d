/** Where keys may go, as the operator lists it in an environment variable. */

/** Addresses may be written whole; what is none is left out, and opens nothing. */
export function originsIn(list = ""): string[] {
  const urls = list.split(",").map((url) => url.trim());
  return urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
}

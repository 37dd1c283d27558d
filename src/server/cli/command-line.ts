/** What a command line asks for, as far as it can be told without knowing the options: the launcher must be quick. */

/** Options alone mean the server, as they always did. */
export function namesNone([first]: readonly string[]): boolean {
  return first === undefined || first.startsWith("-");
}

export function isServer(words: readonly string[]): boolean {
  return namesNone(words) || words[0] === "serve";
}

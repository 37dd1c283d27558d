/** What options are refused with. */

/** A refusal that is the user's to mend: one line, exit status 2. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** By its name: in the build the server is a bundle of its own, with a class of its own. */
export function isOptionError(error: unknown): boolean {
  return error instanceof Error && error.name === "OptionError";
}

/**
 * Keeps secrets out of what is logged or printed: those the server was started with, wherever they turn up, and whatever
 * looks like one of somebody else's. A net under code that should not say them in the first place.
 */

export const HIDDEN = "***";

/** Anything shorter is no secret, and would tear holes into every other line. */
const SECRET_CHARS_MIN = 4;

const LOOKS_SECRET: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[^\s"'`,]{8,}/g, `$1 ${HIDDEN}`],
  // Names and passwords in addresses.
  [/(\w:\/\/)[^\s/@"'`]+@/g, `$1${HIDDEN}@`],
  // Keys can be asked for by their value.
  [/((?:^|[\s"'`])\/keys\/)[^/?\s"'`]+/g, `$1${HIDDEN}`],
  // API keys of this interface, and of most providers.
  [/\b[0-9a-f]{64}\b/gi, HIDDEN],
  [/\bsk-[\w-]{8,}/g, HIDDEN],
];

export class Secrets {
  readonly #known: string[] = [];

  /** Null for what was not set. */
  add(...secrets: readonly (string | null)[]): void {
    for (const secret of secrets) {
      if (secret !== null && secret.length >= SECRET_CHARS_MIN) this.#known.push(secret);
    }
  }

  hideIn(text: string): string {
    let shown = text;
    for (const secret of this.#known) shown = shown.replaceAll(secret, HIDDEN);
    for (const [pattern, instead] of LOOKS_SECRET) shown = shown.replace(pattern, instead);
    return shown;
  }
}

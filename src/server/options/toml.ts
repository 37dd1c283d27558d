/** A configuration file: TOML whose keys hold strings, numbers and booleans. What else TOML knows is refused by its key. */
import { parse, TomlError } from "smol-toml";

type TomlValue = string | number | boolean;
/** The line is known where the text is no TOML. */
type TomlOutcome = { values: Map<string, TomlValue> } | { problem: string; line?: number };

export function parseToml(text: string): TomlOutcome {
  try {
    const entries = Object.entries(parse(text));
    const other = entries.find(([, value]) => !isPlain(value));
    if (other !== undefined) return { problem: `the value of \`${other[0]}\` is no string, number or boolean` };
    return { values: new Map(entries as [string, TomlValue][]) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { problem: reasonOf(error), line: error.line };
  }
}

function isPlain(value: unknown): value is TomlValue {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Without the package's introduction, and without the lines of the file, which may hold a key. */
function reasonOf({ message }: TomlError): string {
  return message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
}

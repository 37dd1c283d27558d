/** Takes secrets out of what lists of processes show of this one: anybody on the machine may look at those. */
import { HIDDEN } from "../../base/log/secrets.ts";
import { OPTION_TABLE } from "./table.ts";

const SECRET_NAMES = new Set(OPTION_TABLE.filter((spec) => spec.secret).map((spec) => `--${spec.name}`));

/** The words of a command line without the values of secret options. */
export function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, i) => {
    if (SECRET_NAMES.has(words[i - 1] ?? "")) return HIDDEN;
    const [name = ""] = word.split("=", 1);
    return word.includes("=") && SECRET_NAMES.has(name) ? `${name}=${HIDDEN}` : word;
  });
}

/** The title stays as it is where there is nothing to hide. */
export function hideSecretArguments(of: Pick<NodeJS.Process, "argv" | "argv0" | "execArgv" | "title">): void {
  const args = of.argv.slice(1);
  const shown = withoutSecrets(args);
  if (shown.some((word, i) => word !== args[i])) of.title = [of.argv0, ...of.execArgv, ...shown].join(" ");
}

/** What `--help` says of the server: its commands and its options. */
import type { Option } from "./kinds.ts";
import { OPTION_TABLE } from "./table.ts";

export function helpText(): string {
  const lines = [
    "sabre-search: a search server",
    "",
    "Usage: sabre-search [serve] [OPTIONS]",
    "       sabre-search health [OPTIONS]    (asks the running server whether it is well)",
    "       sabre-search import FILE… --index NAME    (documents from files or a pipe)",
    "       sabre-search search INDEX [QUERY]         (as you type, on a terminal)",
    "       sabre-search tasks [--watch]",
    "       sabre-search settings get|set|diff INDEX",
    "       sabre-search dump",
    "       sabre-search snapshot",
    "       sabre-search restore FILE [OPTIONS]       (from a dump or a snapshot)",
    "       sabre-search restore --from PLACE[@TIME]  (from a checkpoint of a cluster)",
    "       sabre-search backups --from PLACE         (lists those)",
    "       sabre-search keys [create|delete]",
    "       sabre-search status",
    "       sabre-search demo                         (an index to try things out on)",
    "       sabre-search migrate --from URL           (all of a running Meilisearch)",
    "       sabre-search doctor [OPTIONS]             (would a server run well here?)",
    "",
    "`sabre` is the same program. Each command has its own --help.",
    "",
    "Every option can also be given as an environment variable (--db-path is MEILI_DB_PATH) or as a key of a TOML file",
    "(db_path); the command line wins over the environment, which wins over the file.",
    "",
    "Options:",
  ];
  const shown = OPTION_TABLE.filter((spec) => !spec.unavailable);
  const labels = shown.map((spec) => `--${spec.name}${spec.kind === "flag" ? "" : ` <${spec.value ?? spec.kind}>`}`);
  const others: [string, string][] = [
    ["--config-file-path <path>", "TOML file to read [default: ./config.toml if it exists]"],
    ["-h, --help", "Print this text"],
    ["-V, --version", "Print the version"],
  ];
  const width = Math.max(...labels.map((label) => label.length), ...others.map(([label]) => label.length));
  for (const [i, spec] of shown.entries()) lines.push(`  ${labels[i]!.padEnd(width)}  ${spec.help}${defaultOf(spec)}`);
  for (const [label, help] of others) lines.push(`  ${label.padEnd(width)}  ${help}`);
  return lines.join("\n");
}

function defaultOf({ kind, shown }: Option): string {
  if (shown === undefined) return "";
  return ` [default${kind === "interval" ? " when given alone" : ""}: ${shown}]`;
}

// The reference of options: every one under its three names, with what it takes and its default.

import { envName, type Option } from "../../src/server/options/kinds.ts";
import { OPTION_TABLE } from "../../src/server/options/table.ts";
import { code, page, table } from "./markdown.ts";

const TAKES: Record<Option["kind"], string> = {
  text: "text",
  path: "path",
  size: "size, such as `2 GiB`",
  count: "whole number",
  choice: "one of those named",
  flag: "nothing, or `true` or `false`",
  interval: "seconds, or nothing",
};

export function optionsReference(): string {
  return page(
    "Options",
    "Given on the command line (`--db-path`), in the environment (`MEILI_DB_PATH`) or in a TOML file (`db_path`); the first of these " +
      "that names an option wins. The file is `./config.toml`, or what `--config-file-path` or `MEILI_CONFIG_FILE_PATH` names. " +
      "Secrets are better given in the environment or in the file than on the command line.",
    table(["option", "in the environment", "takes", "default", "meaning"], OPTION_TABLE.map(row)),
  );
}

function row(spec: Option): string[] {
  const notes = [spec.help];
  if (spec.unavailable !== undefined) notes.push(`Refused: ${spec.unavailable}`);
  if (spec.secret) notes.push("Never shown");
  return [
    code(`--${spec.name}`),
    code(envName(spec)),
    TAKES[spec.kind],
    byDefault(spec),
    notes.filter((note) => note !== "").join(". "),
  ];
}

function byDefault({ kind, shown }: Option): string {
  if (kind === "interval") return `none; ${shown} when given alone`;
  return shown ?? (kind === "flag" ? "off" : "none");
}

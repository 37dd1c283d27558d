/** Rows under headings: with lines between words where people look at them, with tabs where programs do. */
import Table from "cli-table3";
import { coloursOf, columnsOf, type Terminal } from "./terminal.ts";

/** Without frames: what stands below each other is enough. */
const BARE = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

const CELL_UNITS_MIN = 10;

export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
  unitsMax = Math.floor(columnsOf(terminal.output) / headings.length),
): string {
  const { output, env } = terminal;
  if (output.isTTY !== true) {
    return [headings, ...rows].map((row) => `${row.map(oneLine).join("\t")}\n`).join("");
  }
  const { bold } = coloursOf(output, env);
  const room = Math.max(CELL_UNITS_MIN, unitsMax);
  const table = new Table({
    head: headings.map((heading) => bold(heading)),
    chars: BARE,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push(row.map((cell) => shortened(oneLine(cell), room)));
  return `${table.toString().replaceAll(/ +$/gm, "")}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

export function shortened(text: string, units: number): string {
  const characters = [...text];
  return characters.length <= units ? text : `${characters.slice(0, units - 1).join("")}…`;
}

/** A value as people write it. What a document says must not steer the terminal. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const isList = Array.isArray(value) && value.every((item) => typeof item !== "object");
  const text = typeof value === "string" ? value : isList ? value.join(", ") : JSON.stringify(value);
  return text.replaceAll(/[^\P{Cc}\t\n]/gu, "");
}

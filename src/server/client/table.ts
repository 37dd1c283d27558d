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
const GAP_UNITS = BARE.middle.length;
/** What makes text coloured, and takes no room. */
const PAINT = /(\x1b\[[0-9;]*m)/;

export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
  unitsMax = columnsOf(terminal.output),
): string {
  const { output, env } = terminal;
  const lines = rows.map((row) => row.map(oneLine));
  if (output.isTTY !== true) return [headings, ...lines].map((row) => `${row.join("\t")}\n`).join("");
  const { bold } = coloursOf(output, env);
  const widths = headings.map((heading, i) => Math.max(heading.length, ...lines.map((row) => unitsOf(row[i] ?? ""))));
  const room = cellRoom(widths, unitsMax - GAP_UNITS * (headings.length - 1));
  const table = new Table({
    head: headings.map((heading) => bold(heading)),
    chars: BARE,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of lines) table.push(row.map((cell) => shortened(cell, room)));
  return `${table.toString().replaceAll(/ +$/gm, "")}\n`;
}

/** How long a cell may be so that all columns fit: short ones leave their room to the others. */
function cellRoom(widths: readonly number[], units: number): number {
  let [left, room] = [units, 0];
  for (const [i, width] of [...widths].sort((a, b) => a - b).entries()) {
    room = Math.floor(left / (widths.length - i));
    if (width > room) return Math.max(CELL_UNITS_MIN, room);
    left -= width;
  }
  return Number.POSITIVE_INFINITY;
}

function unitsOf(text: string): number {
  return [...text.replaceAll(new RegExp(PAINT, "g"), "")].length;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Colours go on to their end behind what is left out. */
export function shortened(text: string, units: number): string {
  if (unitsOf(text) <= units) return text;
  let left = units - 1;
  const parts = text.split(PAINT).map((part, i) => {
    // Every other one is what was split by.
    if (i % 2 === 1 || left < 0) return i % 2 === 1 ? part : "";
    const characters = [...part];
    const isCut = characters.length > left;
    const shown = characters.slice(0, left).join("");
    left = isCut ? -1 : left - characters.length;
    return isCut ? `${shown}…` : shown;
  });
  return parts.join("");
}

/** A value as people write it. What a document says must not steer the terminal. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const isList = Array.isArray(value) && value.every((item) => typeof item !== "object");
  const text = typeof value === "string" ? value : isList ? value.join(", ") : JSON.stringify(value);
  return text.replaceAll(/[^\P{Cc}\t\n]/gu, "");
}

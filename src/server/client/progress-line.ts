/** One line that tells how far something is, written over itself on a terminal and left out elsewhere. */
import { coloursOf, columnsOf, type Output } from "./terminal.ts";

interface Reach {
  label: string;
  /** Between 0 and 1; null when nobody knows how much there is. */
  share: number | null;
  /** What else is to be told, the most important first. */
  facts: string[];
}

const EVERY_MS = 100;
const BAR_CELLS = 24;

export class ProgressLine {
  readonly #output: Output;
  readonly #env: NodeJS.ProcessEnv;
  #lastAt = 0;
  #isShown = false;

  constructor(output: Output, env: NodeJS.ProcessEnv) {
    this.#output = output;
    this.#env = env;
  }

  show(reach: () => Reach, isNow = false): void {
    const now = performance.now();
    if (this.#output.isTTY !== true || (!isNow && now - this.#lastAt < EVERY_MS)) return;
    this.#lastAt = now;
    this.#isShown = true;
    const { label, share, facts } = reach();
    const { cyan, dim } = coloursOf(this.#output, this.#env);
    const filled = share === null ? 0 : Math.round(Math.min(1, share) * BAR_CELLS);
    const bar = share === null ? "" : `${cyan("█".repeat(filled))}${dim("░".repeat(BAR_CELLS - filled))} `;
    const room = columnsOf(this.#output) - label.length - (bar === "" ? 0 : BAR_CELLS + 1) - 2;
    const text = facts.join("  ");
    this.#output.write(`\r\x1b[K${label} ${bar}${text.length > room ? text.slice(0, Math.max(0, room)) : text}`);
  }

  /** Takes the line away, so that something else can be said. */
  clear(): void {
    if (this.#isShown) this.#output.write("\r\x1b[K");
    this.#isShown = false;
  }
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

/** `1 task`, `2 tasks`. */
export function numberOf(count: number, what: string): string {
  return `${countText(count)} ${what}${count === 1 ? "" : "s"}`;
}

export function countText(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

export function secondsText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–:––";
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * Structured log lines, for people or for machines, to the console and to one listening client. Lines carry a module
 * and named fields; what is logged never includes keys, bodies or documents, but for what an error says of them.
 */
import { Secrets } from "./secrets.ts";
import {
  highestLevel,
  isWanted,
  LOG_LEVELS,
  type LogLevel,
  type LogTarget,
  levelNumber,
  parseTarget,
} from "./target.ts";

type LogForm = "human" | "json";
export type LogFields = Record<string, string | number | boolean | null>;

interface Outlet {
  target: LogTarget;
  form: LogForm;
  write(line: string): void;
}

export class Log {
  readonly #console: Outlet;
  #listener: Outlet | null = null;
  #highest: number;
  /** Left out of every line. */
  readonly secrets = new Secrets();

  constructor(level: LogLevel, form: LogForm, write: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#console = { target: { level: levelNumber(level), modules: [] }, form, write };
    this.#highest = levelNumber(level);
  }

  error(module: string, message: string, fields?: LogFields): void {
    this.#emit("error", module, message, fields);
  }

  warn(module: string, message: string, fields?: LogFields): void {
    this.#emit("warn", module, message, fields);
  }

  info(module: string, message: string, fields?: LogFields): void {
    this.#emit("info", module, message, fields);
  }

  debug(module: string, message: string, fields?: LogFields): void {
    this.#emit("debug", module, message, fields);
  }

  trace(module: string, message: string, fields?: LogFields): void {
    this.#emit("trace", module, message, fields);
  }

  /** Cheap enough for every request: lets callers skip building fields nobody wants. */
  wants(level: LogLevel): boolean {
    return levelNumber(level) <= this.#highest;
  }

  /** Changes what goes to the console; false when the text is no target. */
  setConsoleTarget(text: string): boolean {
    const target = parseTarget(text);
    if (target === null) return false;
    this.#console.target = target;
    this.#refresh();
    return true;
  }

  /** Starts the one extra stream; null when somebody listens already. The returned function ends it. */
  listen(target: LogTarget, form: LogForm, write: (line: string) => void): (() => void) | null {
    if (this.#listener !== null) return null;
    const outlet: Outlet = { target, form, write };
    this.#listener = outlet;
    this.#refresh();
    return () => {
      if (this.#listener !== outlet) return;
      this.#listener = null;
      this.#refresh();
    };
  }

  #refresh(): void {
    const listening = this.#listener === null ? 0 : highestLevel(this.#listener.target);
    this.#highest = Math.max(highestLevel(this.#console.target), listening);
  }

  #emit(level: LogLevel, module: string, message: string, fields: LogFields = {}): void {
    const rank = levelNumber(level);
    if (rank > this.#highest) return;
    const time = new Date().toISOString();
    const said = this.secrets.hideIn(message);
    const shown: LogFields = {};
    for (const [name, value] of Object.entries(fields)) {
      shown[name] = typeof value === "string" ? this.secrets.hideIn(value) : value;
    }
    for (const outlet of [this.#console, this.#listener]) {
      if (outlet === null || !isWanted(outlet.target, rank, module)) continue;
      outlet.write(
        outlet.form === "json"
          ? jsonLine(time, level, module, said, shown)
          : humanLine(time, level, module, said, shown),
      );
    }
  }
}

function jsonLine(timestamp: string, level: LogLevel, target: string, message: string, fields: LogFields): string {
  return `${JSON.stringify({ timestamp, level: level.toUpperCase(), target, fields: { message, ...fields } })}\n`;
}

const LEVEL_WIDTH = Math.max(...LOG_LEVELS.map((level) => level.length));

function humanLine(time: string, level: LogLevel, module: string, message: string, fields: LogFields): string {
  let line = `${time} ${level.toUpperCase().padStart(LEVEL_WIDTH)} ${module}: ${oneLine(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    line += ` ${name}=${typeof value === "string" ? JSON.stringify(value) : value}`;
  }
  return `${line}\n`;
}

/** A message with line breaks could pass for several lines, or for a line of somebody else. */
function oneLine(message: string): string {
  return message.replace(/[\r\n]+/g, " | ");
}

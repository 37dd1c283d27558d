/** Where a command reads and writes: the streams of the process, or those of a test. */
import pico from "picocolors";

export type Colours = ReturnType<typeof pico.createColors>;

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

export interface Output extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface Terminal {
  input: Input;
  /** For what was asked for. */
  output: Output;
  /** For what is said besides: progress, advice, problems. */
  notes: Output;
  env: NodeJS.ProcessEnv;
  /** How this program is called from here, for what people are told to type. */
  program: string;
}

/** Takes what follows the name of the command; resolves with the exit status. */
export type ClientCommand = (args: readonly string[], terminal: Terminal) => Promise<number>;

const COLUMNS = 80;

export function columnsOf({ columns }: Output): number {
  return columns || COLUMNS;
}

/** https://no-color.org is heeded. */
export function coloursOf({ isTTY }: Output, env: NodeJS.ProcessEnv): Colours {
  return pico.createColors(isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb");
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

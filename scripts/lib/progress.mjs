// Shows what takes long, while it takes long: one live line on a terminal, plain lines now and then in a pipe.
import { WriteStream } from "node:tty";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** Nobody should wonder for longer than this whether anything happens. */
const LINE_MS = 2000;

export const seconds = (ms) => `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;

/** Whether lines may be written anew. */
export function isLive(stream = process.stderr) {
  return Boolean(stream.isTTY) && process.env.TERM !== "dumb";
}

/** Node's own idea of what a terminal can show, which heeds NO_COLOR, FORCE_COLOR and TERM; elsewhere only when forced. */
export function painter(stream = process.stderr, env = process.env) {
  const on = (stream.isTTY || env.FORCE_COLOR !== undefined) && WriteStream.prototype.hasColors();
  const paint = (code) => (text) => (on ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { bold: paint(1), dim: paint(2), red: paint(31), green: paint(32), yellow: paint(33) };
}

/** The last line of a terminal, which changes while the lines above it stay. */
export class LiveLine {
  #stream;
  #shown = "";

  constructor(stream = process.stderr) {
    this.#stream = stream;
  }

  show(text) {
    const width = (this.#stream.columns || 80) - 1;
    this.#shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
    this.#stream.write(`\r\x1b[K${this.#shown}`);
  }

  /** Writes above the live line. */
  print(text) {
    this.#stream.write(`\r\x1b[K${text}\n${this.#shown}`);
  }

  clear() {
    this.#shown = "";
    this.#stream.write("\r\x1b[K");
  }
}

/** Does one thing that takes a while. The work is given a function that takes how far it is, and ends with what it did. */
export async function showStep(doing, work, stream = process.stderr) {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const live = isLive(stream) ? new LiveLine(stream) : null;
  const paint = painter(stream);
  let detail = "";
  let frame = 0;
  const text = () => `${doing}… ${seconds(elapsed())}${detail === "" ? "" : `, ${detail}`}`;
  const draw = () => {
    if (live === null) stream.write(`${text()}\n`);
    else live.show(`${SPINNER[frame++ % SPINNER.length]} ${text()}`);
  };
  if (live === null) stream.write(`${doing}…\n`);
  else draw();
  const timer = setInterval(draw, live === null ? LINE_MS : FRAME_MS);
  try {
    const done = await work((news) => {
      detail = news;
    });
    live?.clear();
    stream.write(`${live === null ? "" : `${paint.green("✔")} `}${done} in ${seconds(elapsed())}\n`);
  } catch (error) {
    live?.clear();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

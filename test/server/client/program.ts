/** The commands as they are run: the built program beside a real server, and the same on a terminal that is made up. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CLIENT_COMMANDS, type ClientName } from "../../../src/server/client/commands.ts";
import type { Input, Output } from "../../../src/server/client/terminal.ts";
import { until } from "../../lib/patience.ts";
import { inBackground, temporaryDirectory } from "../../lib/temporary.ts";
import type { Outcome } from "../cli/program.ts";

const LAUNCH = fileURLToPath(new URL("../../../dist/launch.js", import.meta.url));
const STATE = temporaryDirectory();

/** As in a shell, also where npm runs the tests: hints go by who started the program. */
function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { npm_execpath: _npm, ...own } = process.env;
  return { ...own, XDG_STATE_HOME: STATE, ...more };
}

export function start(args: readonly string[], env: Record<string, string> = {}) {
  return inBackground(spawn(process.execPath, [LAUNCH, ...args], { env: environment(env), stdio: "pipe", cwd: STATE }));
}

export async function run(args: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Outcome> {
  const begin = performance.now();
  const child = start(args, env);
  child.ref();
  child.stdin!.end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    child.stdout!.toArray(),
    child.stderr!.toArray(),
    once(child, "close") as Promise<[number | null]>,
  ]);
  const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString();
  return { status, stdout: text(stdout), stderr: text(stderr), milliseconds: performance.now() - begin };
}

class FakeScreen extends Writable implements Output {
  readonly isTTY = true;
  readonly columns = 100;
  readonly rows = 20;
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }

  /** Without colours, and from the last time that everything was drawn anew. */
  get shown(): string {
    const last = this.text.split("\x1b[H\x1b[J").at(-1)!;
    return last.replaceAll(/\x1b\[[0-9;?]*[a-zA-Z]/g, "");
  }
}

export class FakeTerminal {
  readonly keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  readonly input: Input = this.keyboard;
  readonly output = new FakeScreen();
  readonly notes = new FakeScreen();
  readonly env: NodeJS.ProcessEnv;
  readonly program = "sabre";

  constructor(env: Record<string, string>) {
    this.env = { XDG_STATE_HOME: STATE, TERM: "xterm", ...env };
  }

  run(name: ClientName, ...args: string[]): Promise<number> {
    return CLIENT_COMMANDS[name](args, this);
  }

  type(text: string): void {
    this.keyboard.write(text);
  }

  async until(isSo: (shown: string) => boolean): Promise<void> {
    await until(
      () => isSo(this.output.shown),
      () => `it shows something else:\n${this.output.shown}`,
    );
  }
}

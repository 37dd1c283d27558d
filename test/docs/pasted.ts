/** What a page shows, pasted into a shell as somebody would who reads it: all its blocks into one, in their order. */
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Pasted {
  status: number | null;
  /** What each block printed, one line an answer; blocks that were not reached are missing. */
  printed: string[];
  /** Everything, for the message of a failure. */
  said: string;
}

/** Between blocks; no answer holds it. */
const BOUNDARY = "\u0001 next block \u0001";

/** The address that pages show. */
const SHOWN = "localhost:7700";

export async function pasted(
  blocks: readonly string[],
  base: string,
  env: Record<string, string> = {},
): Promise<Pasted> {
  const script = blocks
    .map((block) => `${block.trimEnd()}\n`)
    .join(`echo '${BOUNDARY}'\n`)
    .replaceAll(SHOWN, new URL(base).host)
    .replaceAll("curl ", String.raw`curl --silent --show-error --fail-with-body --write-out '\n' `);
  const shell = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let answers = "";
  let said = "";
  shell.stdout.setEncoding("utf8").on("data", (chunk) => {
    answers += chunk;
    said += chunk;
  });
  shell.stderr.setEncoding("utf8").on("data", (chunk) => {
    said += chunk;
  });
  const [status] = (await once(shell, "close")) as [number | null];
  return { status, printed: answers.split(BOUNDARY).map((text) => text.trim()), said };
}

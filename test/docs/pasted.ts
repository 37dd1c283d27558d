/** What a page shows, pasted into a shell as somebody would who reads it: all its blocks into one, in their order. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { exampleFiles } from "./files.ts";

interface Pasted {
  status: number | null;
  /** What each block printed, one line an answer; blocks that were not reached are missing. */
  printed: string[];
  /** Everything, for the message of a failure. */
  said: string;
}

/** Between blocks; no answer holds it. */
const BOUNDARY = "\u0001 next block \u0001";

const LAUNCH = fileURLToPath(new URL("../../dist/launch.js", import.meta.url));
/** Programs that an installed package brings. */
const PROGRAMS = ["sabre", "sabre-search"]
  .map((name) => `${name}() { "${process.execPath}" "${LAUNCH}" "$@"; }\n`)
  .join("");

/** The address that pages show. */
const SHOWN = "localhost:7700";

export async function pasted(
  blocks: readonly string[],
  base: string,
  env: Record<string, string> = {},
): Promise<Pasted> {
  const { host } = new URL(base);
  const script = blocks
    .map((block) => `${block.trimEnd()}\n`)
    .join(`echo '${BOUNDARY}'\n`)
    .replaceAll(SHOWN, host)
    .replaceAll("curl ", String.raw`curl --silent --show-error --fail-with-body --write-out '\n' `);
  const folder = exampleFiles();
  const shell = spawn("bash", ["-e", "-o", "pipefail", "-c", PROGRAMS + script], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: folder,
    env: { ...process.env, MEILI_HTTP_ADDR: host, XDG_STATE_HOME: folder, ...env },
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

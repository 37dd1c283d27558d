/**
 * `health`: asks the server that is named, or that runs with the same options, whether it is well. Made for health checks of containers and
 * supervisors: one line, exit status 0 or 1 and no other, an answer within three seconds, no part of the server loaded.
 */
import type { IncomingMessage } from "node:http";
import { builtIn } from "../../base/net/built-in.ts";
import { readOptions } from "../options/options.ts";
import { ownUrl, takeUrl } from "../options/server-url.ts";
import { packageVersion } from "../options/version.ts";
import { EXIT_FAILURE } from "./exit-status.ts";

/** Checks are commonly given three seconds in all. */
const ANSWER_MS_MAX = 2500;
const WELL = "available";
const ANSWER_BYTES_MAX = 1024;

const HELP = [
  "Usage: sabre-search health [--url ADDRESS] [OPTIONS OF THE SERVER]",
  "",
  "Asks the running server whether it is well; the exit status is 0 when it is and 1 when it is not. The server is the one that",
  "--url or SABRE_URL names; otherwise the options of the server, from the command line, the environment and the configuration",
  "file, tell its address (--http-addr, which on the command line counts more than SABRE_URL) and whether it serves TLS.",
].join("\n");

export async function health(args: readonly string[]): Promise<number> {
  try {
    const { url: named, rest } = takeUrl(args, process.env);
    const startup = readOptions(rest, process.env, packageVersion(), { starts: false, help: () => HELP });
    if (startup.kind === "print") return say(startup.text);
    const url = new URL("/health", named ?? ownUrl(startup.options));
    const status = await ask(url);
    if (status === WELL) return say(`${url.origin} is ${WELL}`);
    throw new Error(`${url.origin} is not well: ${status}`);
  } catch (error) {
    process.stderr.write(`sabre-search: ${(error as Error).message}\n`);
    return EXIT_FAILURE;
  }
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** What the server says of itself; rejects when it says nothing in time. */
function ask(url: URL): Promise<string> {
  // The certificate is made for the name that clients use, not for a loopback address, and nothing secret is sent: any is
  // accepted, and none of our own is shown.
  const { get } = url.protocol === "https:" ? builtIn("node:https") : builtIn("node:http");
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, rejectUnauthorized: false }, (response) => {
      read(response).then(resolve, reject).finally(finish);
    });
    request.once("error", (error: NodeJS.ErrnoException) => {
      finish();
      // Where a name has several addresses, all of which failed, the message is empty.
      reject(new Error(`no answer from ${url.origin}: ${error.message || error.code}`));
    });
    const timer = setTimeout(() => request.destroy(new Error(`${ANSWER_MS_MAX} ms passed`)), ANSWER_MS_MAX);
    const finish = (): void => clearTimeout(timer);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > ANSWER_BYTES_MAX) break;
  }
  if (response.statusCode !== 200) return `status ${response.statusCode}`;
  try {
    return String((JSON.parse(text) as { status?: unknown }).status);
  } catch {
    return "its answer is no JSON";
  }
}

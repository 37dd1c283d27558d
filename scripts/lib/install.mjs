// Has npm install what the lockfile lists, shows how far it is, and says in plain words why it could not.
import { spawn } from "node:child_process";
import path from "node:path";
import { misfits, neededHere, packagesIn } from "./installed.mjs";
import { showStep } from "./progress.mjs";

/** An answer that takes longer does not come; asked twice, npm gives up after half a minute instead of eleven. */
const ANSWER_MS_MAX = 15_000;
/** How long npm may take to end when it is told to. */
const END_MS_MAX = 1000;
const FLAGS = [
  // Everything that is compiled comes compiled, and nothing downloaded runs here before it is imported.
  "--ignore-scripts",
  // The build needs the development tools whatever NODE_ENV says.
  "--include=dev",
  "--include=optional",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--no-progress",
  // So that every download is told.
  "--loglevel=http",
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=500",
  "--fetch-retry-maxtimeout=2000",
  `--fetch-timeout=${ANSWER_MS_MAX}`,
];
const DOWNLOADED = /^npm http fetch GET 200 \S+\.tgz\b/gm;
/** Some of which need not matter: what npm has kept of earlier installs may do. */
const UNANSWERED = /^npm http fetch GET \S+ attempt \d+ failed with (\S+)/m;
const LOCKFILE_REFUSED = /^npm (error|ERR!) code EUSAGE$/m;
const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENETDOWN|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b|network timeout/;

/** Something the reader can mend; its message says all there is to say. */
export class SetupError extends Error {}

/** Does nothing, quickly, when all that is needed is there. */
export async function installIfNeeded(root) {
  if (misfits(root).length === 0) return;
  const total = neededHere(packagesIn(path.join(root, "package-lock.json"))).size;
  await showStep("installing", async (say) => {
    let downloaded = 0;
    const hear = (text) => {
      downloaded += text.match(DOWNLOADED)?.length ?? 0;
      const failure = UNANSWERED.exec(text)?.[1];
      if (downloaded > 0) say(`${Math.min(downloaded, total)} of ${total} packages downloaded`);
      else if (failure !== undefined) say(`no network so far (${failure})`);
    };
    let ended = await runNpm(root, ["ci", ...FLAGS], hear);
    if (LOCKFILE_REFUSED.test(ended.output)) {
      say("package-lock.json does not list all that package.json asks for, so npm looks for the rest");
      ended = await runNpm(root, ["install", "--no-save", ...FLAGS], hear);
    }
    const { status, output, signal } = ended;
    if (signal !== null) throw new SetupError("interrupted; the next start installs again");
    if (status !== 0) throw new SetupError(explain(output, total));
    const left = misfits(root);
    if (left.length > 0)
      throw new SetupError(`npm ended well, but these are not as the lockfile says: ${left.join(", ")}`);
    return `installed ${total} packages`;
  });
}

/** Resolves when npm has ended, with everything it wrote. */
function runNpm(root, words, hear) {
  // Under `npm run` the very npm that runs us is named in the environment; elsewhere the one on the path is used.
  const script = process.env.npm_execpath ?? "";
  const [command, args] = /npm-cli\.c?js$/.test(script) ? [process.execPath, [script, ...words]] : ["npm", words];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    // npm takes back what it has done so far, which can take half a minute; the next start repairs what it does not.
    let signal = null;
    const interrupt = (name) => {
      signal = name;
      child.kill(name);
      setTimeout(() => child.kill("SIGKILL"), END_MS_MAX).unref();
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const name of signals) process.on(name, interrupt);
    let output = "";
    const listen = (text) => {
      output += text;
      hear(text);
    };
    child.stdout.setEncoding("utf8").on("data", listen);
    child.stderr.setEncoding("utf8").on("data", listen);
    child.once("error", (error) => reject(new SetupError(`npm cannot be run: ${error.message}`)));
    child.once("close", (status) => {
      for (const name of signals) process.off(name, interrupt);
      resolve({ status, output, signal });
    });
  });
}

/** What npm wrote, as somebody who does not know npm would want to be told. */
function explain(output, total) {
  const again = `npm ${process.env.npm_lifecycle_event?.replace(/^pre/, "") ?? "run setup"}`;
  const code = NO_NETWORK.exec(output)?.[0];
  if (code !== undefined) {
    return [
      `no network: the ${total} packages that package-lock.json lists cannot be downloaded (${code}).`,
      `  Connect this machine, or name a registry or proxy that it can reach (npm config set registry, HTTPS_PROXY),`,
      `  then run \`${again}\` again. Only the first start needs a network; a copy of node_modules from a machine`,
      `  of the same kind does as well.`,
    ].join("\n");
  }
  const errors = output.split("\n").filter((line) => /^npm (error|ERR!)/.test(line));
  const reason = errors.map((line) => line.replace(/^npm (error|ERR!) ?/, "")).join("\n  ");
  if (/\bENOSPC\b/.test(output)) return `the disk is full: the packages cannot be installed.\n  ${reason}`;
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) {
    return `a folder cannot be written: the packages cannot be installed.\n  ${reason}`;
  }
  return `the packages cannot be installed (run \`${again}\` again to have another try).\n  ${reason}`;
}

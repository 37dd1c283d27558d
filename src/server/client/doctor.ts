/** `doctor`: whether a server would run well here with these options: the machine, its limits, the binaries, the data. */
import { accessSync, constants, existsSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import path from "node:path";
import { loadAddon } from "../../base/native/load.ts";
import { glibcVersion, thisMachine } from "../../base/native/machine.ts";
import { isOptionError, type Options, readOptions } from "../options/options.ts";
import { ownUrl, takeUrl } from "../options/server-url.ts";
import { packageVersion } from "../options/version.ts";
import { openFilesLimit } from "../start/open-files.ts";
import { Connection } from "./connection.ts";
import { bytesText } from "./progress-line.ts";
import { coloursOf, say, type Terminal } from "./terminal.ts";

const HELP = [
  "Usage: sabre doctor [--url ADDRESS] [OPTIONS OF THE SERVER]",
  "",
  "Checks whether a server would run well here: Node, the machine, memory, open files, compiled binaries, the configuration,",
  "the directory of the data, its lock, and whether a server answers. Takes the options of the server, from the command line,",
  "the environment and the configuration file; --url or SABRE_URL names another server to be asked. The exit status is 1 when",
  "something is wrong; what could be better is only told.",
].join("\n");

const MEMORY_BYTES_ADVISED = 1e9;
const DISK_BYTES_ADVISED = 5e9;
const OPEN_FILES_ADVISED = 4096;
const ANSWER_MS_MAX = 2500;

type Verdict = "good" | "doubtful" | "bad";
type Finding = [verdict: Verdict, subject: string, text: string];

export async function doctor(args: readonly string[], terminal: Terminal): Promise<number> {
  const findings: Finding[] = [...machineFindings(), ...binaryFindings()];
  try {
    const { url, rest } = takeUrl(args, terminal.env);
    const startup = readOptions(rest, terminal.env, packageVersion(), { starts: false, help: () => HELP });
    if (startup.kind === "print") {
      say(terminal.output, startup.text);
      return 0;
    }
    findings.push(["good", "configuration", "every option has a value that can be used"]);
    findings.push(...keyFindings(startup.options), ...dataFindings(startup.options.dbPath));
    findings.push(await serverFinding(url ?? ownUrl(startup.options)));
  } catch (error) {
    if (!isOptionError(error)) throw error;
    findings.push(["bad", "configuration", (error as Error).message]);
  }
  const { green, yellow, red } = coloursOf(terminal.output, terminal.env);
  const marks = { good: green("ok  "), doubtful: yellow("warn"), bad: red("bad ") };
  for (const [verdict, subject, text] of findings)
    say(terminal.output, `${marks[verdict]} ${subject.padEnd(14)} ${text}`);
  return findings.some(([verdict]) => verdict === "bad") ? 1 : 0;
}

function machineFindings(): Finding[] {
  const { os, arch, libc } = thisMachine();
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const files = openFilesLimit();
  const system = [os, arch, libc === "glibc" ? `glibc ${glibcVersion() ?? "?"}` : (libc ?? "")].join(" ").trim();
  return [
    ["good", "Node", process.versions.node],
    [os === "linux" ? "good" : "doubtful", "machine", `${system}, ${availableParallelism()} cores`],
    [memory < MEMORY_BYTES_ADVISED ? "doubtful" : "good", "memory", `${bytesText(memory)} may be used`],
    [
      files !== null && files < OPEN_FILES_ADVISED ? "doubtful" : "good",
      "open files",
      files === null ? "no limit" : `at most ${files}`,
    ],
  ];
}

function binaryFindings(): Finding[] {
  const lmdb = binaryFinding("lmdb", "bad", "");
  return [lmdb, binaryFinding("uws", "doubtful", "; node:http serves instead, more slowly")];
}

function binaryFinding(addon: "lmdb" | "uws", otherwise: Verdict, consequence: string): Finding {
  const subject = addon === "lmdb" ? "LMDB" : "uWebSockets.js";
  try {
    loadAddon(addon);
    return ["good", subject, "the binary for this machine is there, and is the one that is pinned"];
  } catch (error) {
    return [otherwise, subject, `${(error as Error).message}${consequence}`];
  }
}

function keyFindings({ masterKey, env }: Options): Finding[] {
  if (masterKey !== null) return [];
  return [[env === "production" ? "bad" : "doubtful", "master key", "none is set: everybody may do everything"]];
}

function dataFindings(dbPath: string): Finding[] {
  const folder = nearest(path.resolve(dbPath));
  const findings: Finding[] = [];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const state = existsSync(dbPath) ? "can be read and written" : "will be made";
    findings.push(["good", "data", `${path.resolve(dbPath)} ${state}`]);
  } catch {
    findings.push(["bad", "data", `${folder} cannot be written`]);
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  findings.push([free < DISK_BYTES_ADVISED ? "doubtful" : "good", "disk", `${bytesText(free)} free`]);
  const note = path.join(dbPath, "LOCK");
  if (existsSync(note)) findings.push(["good", "lock", `held by ${readFileSync(note, "utf8")}`]);
  return findings;
}

/** The directory, or the one above it that exists. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(path.dirname(folder));
}

async function serverFinding(url: URL): Promise<Finding> {
  const connection = new Connection(url.href, null);
  try {
    const { status } = await connection.json<{ status: string }>("GET", "/health", { timeoutMs: ANSWER_MS_MAX });
    return ["good", "server", `${connection.base.origin} is ${status}`];
  } catch (error) {
    return ["good", "server", `none answers (${(error as Error).message})`];
  } finally {
    connection.close();
  }
}

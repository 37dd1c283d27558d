/**
 * A small project of its own with our scripts in it, and an npm that only notes that it was called and does what the
 * lockfile says: what the scripts decide shows without installing anything.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { endsWithTests, temporaryDirectory } from "../lib/temporary.ts";

const SCRIPTS = fileURLToPath(new URL("../../scripts", import.meta.url));

interface LockedPackage {
  version: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  engines?: { node: string };
}
export type Packages = Record<string, LockedPackage>;

export interface Ended {
  status: number | null;
  output: string;
  ms: number;
}

/** Does what it is told by the environment, after it has said that it was called. */
const NPM = `
  const fs = require("node:fs");
  const path = require("node:path");
  const { NPM_SAYS, NPM_STATUS, NPM_WAITS, NPM_HEEDS_NOTHING, NPM_REFUSES } = process.env;
  if (NPM_HEEDS_NOTHING) process.on("SIGINT", () => {});
  fs.appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
  if (NPM_SAYS) process.stderr.write(NPM_SAYS + "\\n");
  if (NPM_WAITS) setTimeout(() => {}, Number(NPM_WAITS));
  else if (NPM_STATUS) process.exitCode = Number(NPM_STATUS);
  else if (process.argv[2] === NPM_REFUSES) {
    process.stderr.write("npm error code EUSAGE\\nnpm error\\n");
    process.exitCode = 1;
  }
  else {
    const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
    for (const [place, { os }] of Object.entries(lock.packages)) {
      if (place === "" || (os && !os.includes(process.platform))) delete lock.packages[place];
      else {
        fs.mkdirSync(place, { recursive: true });
        fs.writeFileSync(path.join(place, "package.json"), "{}");
      }
    }
    fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify(lock));
  }
`;

export class Project {
  readonly root: string;
  readonly #npm: string;

  constructor(packages: Packages) {
    // Whatever the folder is called.
    this.root = path.join(temporaryDirectory(), "a project");
    cpSync(SCRIPTS, this.file("scripts"), { recursive: true });
    this.#npm = this.file("npm-cli.js");
    writeFileSync(this.#npm, NPM);
    this.lock(packages);
  }

  lock(packages: Packages): void {
    const name = { name: "small", version: "1.0.0" };
    writeFileSync(this.file("package.json"), JSON.stringify({ ...name, ...packages[""] }));
    writeFileSync(this.file("package-lock.json"), JSON.stringify({ ...name, lockfileVersion: 3, packages }));
  }

  remove(...places: string[]): void {
    for (const place of places) rmSync(this.file(place), { recursive: true, force: true });
  }

  file(place: string): string {
    return path.join(this.root, place);
  }

  /** With what npm was called since this was asked last. */
  npmCalls(): string[] {
    const file = this.file("npm-calls");
    const calls = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    rmSync(file, { force: true });
    return calls;
  }

  copy(): Project {
    const copy = new Project({});
    cpSync(this.root, copy.root, { recursive: true });
    return copy;
  }

  run(script: string, env: NodeJS.ProcessEnv = {}, nodeFlags: string[] = []): Running {
    const { NODE_OPTIONS: _, FORCE_COLOR: __, ...inherited } = process.env;
    const child = endsWithTests(
      spawn(process.execPath, [...nodeFlags, this.file(path.join("scripts", script))], {
        cwd: this.root,
        env: { ...inherited, npm_execpath: this.#npm, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    return new Running(child);
  }
}

/** A script under way. */
class Running {
  readonly ended: Promise<Ended>;
  output = "";
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    const startedAt = performance.now();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    this.ended = new Promise((resolve) => {
      child.once("close", (status) => {
        resolve({ status, output: this.output, ms: performance.now() - startedAt });
      });
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, utimesSync } from "node:fs";
import net from "node:net";
import test from "node:test";
import { until } from "../lib/patience.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { type Packages, Project } from "./project.ts";

const OTHER_SYSTEM = process.platform === "win32" ? "linux" : "win32";

const PACKAGES: Packages = {
  "": { version: "1.0.0", dependencies: { a: "1", native: "1" }, devDependencies: { tool: "1" } },
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a", dependencies: { b: "1" } },
  "node_modules/a/node_modules/b": { version: "1.5.0", integrity: "sha512-b" },
  "node_modules/native": {
    version: "1.0.0",
    integrity: "sha512-n",
    optionalDependencies: { "native-here": "1", "native-there": "1", "native-then": "1", "native-musl": "1" },
  },
  "node_modules/native-here": { version: "1.0.0", os: [process.platform], cpu: [process.arch] },
  "node_modules/native-there": { version: "1.0.0", os: [OTHER_SYSTEM], dependencies: { "only-there": "1" } },
  "node_modules/only-there": { version: "1.0.0" },
  "node_modules/native-then": { version: "1.0.0", engines: { node: "^1.2.3 || >= 1000" } },
  "node_modules/native-musl": { version: "1.0.0", os: [process.platform], libc: ["no such library"] },
  "node_modules/tool": { version: "1.0.0", integrity: "sha512-t" },
};

async function installed(packages: Packages = PACKAGES): Promise<Project> {
  const project = new Project(packages);
  const { status, output } = await project.run("setup.mjs").ended;
  assert.equal(status, 0, output);
  assert.equal(project.npmCalls().length, 1);
  // What is made for other systems is not there, and nobody misses it.
  project.remove("node_modules/only-there", "node_modules/native-then", "node_modules/native-musl");
  return project;
}

/** Whether npm is asked to install. */
async function installs(project: Project): Promise<boolean> {
  const { status, output } = await project.run("setup.mjs").ended;
  assert.equal(status, 0, output);
  return project.npmCalls().length > 0;
}

test("what fits needs no npm, whatever its times say and wherever it was copied to", async () => {
  const project = await installed();
  assert.equal(await installs(project), false);
  const old = new Date("2001-01-01");
  utimesSync(project.file("node_modules/.package-lock.json"), old, old);
  assert.equal(await installs(project), false);
  assert.equal(await installs(project.copy()), false);
});

test("a package that is missing, of another version or of other content is installed", async () => {
  const changes: ((project: Project) => void)[] = [
    (project) => project.remove("node_modules"),
    // As npm leaves it when it is interrupted.
    (project) => project.remove("node_modules/.package-lock.json"),
    (project) => project.remove("node_modules/a/node_modules/b"),
    (project) => project.remove("node_modules/native-here"),
    (project) => project.remove("node_modules/tool"),
    (project) => project.lock({ ...PACKAGES, "node_modules/a": { ...PACKAGES["node_modules/a"]!, version: "1.0.1" } }),
    (project) => project.lock({ ...PACKAGES, "node_modules/tool": { version: "1.0.0", integrity: "sha512-other" } }),
  ];
  const check = async (change: (project: Project) => void): Promise<void> => {
    const project = await installed();
    change(project);
    assert.equal(await installs(project), true, String(change));
    assert.equal(await installs(project), false, String(change));
  };
  await Promise.all(changes.map(check));
});

test("npm runs no scripts, installs the tools of the build, and is told not to wait for long", async () => {
  const project = new Project(PACKAGES);
  await project.run("setup.mjs", { NODE_ENV: "production" }).ended;
  const [call] = project.npmCalls();
  for (const flag of ["--ignore-scripts", "--include=dev", "--fetch-retries=1"]) assert.ok(call?.includes(flag), call);
});

test("a lockfile that is not whole still does, but for what it lacks", async () => {
  const project = new Project(PACKAGES);
  const { status, output } = await project.run("setup.mjs", { NPM_REFUSES: "ci" }).ended;
  assert.equal(status, 0, output);
  const commands = project.npmCalls().map((call) => call.split(" ").slice(0, 2).join(" "));
  assert.deepEqual(commands, ["ci --ignore-scripts", "install --no-save"]);
});

test("without a network it says so within seconds, in plain words", { timeout: 180_000 }, async () => {
  const project = new Project(PACKAGES);
  const port = await closedPort();
  const { status, output, ms } = await project.run("setup.mjs", {
    // The real one: that which runs the tests, or the one on the path.
    npm_execpath: process.env["npm_execpath"] ?? "",
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: temporaryDirectory(),
  }).ended;
  assert.equal(status, 1);
  assert.match(output, /^installing…\n/);
  assert.match(output, /sabre-search: no network: .*ECONNREFUSED/);
  assert.match(output, /Connect this machine/);
  assert.doesNotMatch(output, /npm error/);
  // Left to itself, npm tries again after ten and after sixty seconds.
  assert.ok(ms < 60_000, `${ms} ms`);
});

test("other failures are told in npm's words", async () => {
  const project = new Project(PACKAGES);
  const fail = async (says: string): Promise<string> => {
    const { status, output } = await project.run("setup.mjs", { NPM_SAYS: says, NPM_STATUS: "7" }).ended;
    assert.equal(status, 1);
    return output;
  };
  assert.match(await fail("npm error code ENOSPC"), /the disk is full/);
  assert.match(await fail("npm error code EACCES\nnpm error path /there"), /cannot be written[\s\S]*path \/there/);
  assert.match(await fail("npm error something else"), /cannot be installed[\s\S]*something else/);
  for (const code of ["ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"]) {
    assert.match(await fail(`npm error code ${code}`), new RegExp(`no network: .*${code}`));
  }
});

test("an install that is interrupted ends at once, and the next one repairs it", async () => {
  const project = new Project(PACKAGES);
  const running = project.run("setup.mjs", { NPM_WAITS: "60000", NPM_HEEDS_NOTHING: "1" });
  await until(
    () => readdirSync(project.root).includes("npm-calls"),
    () => "npm is called",
  );
  running.kill("SIGINT");
  const { status, output } = await running.ended;
  assert.equal(status, 1);
  assert.match(output, /interrupted/);
  project.npmCalls();
  assert.equal(await installs(project), true);
});

test("it tells how far it is, in lines that nothing rewrites when it is no terminal", async () => {
  const project = new Project(PACKAGES);
  const told = async (says: string): Promise<string> =>
    (await project.run("setup.mjs", { NPM_SAYS: says, NPM_WAITS: "2500", FORCE_COLOR: "1" }).ended).output;
  const [some, none] = await Promise.all([
    told("npm http fetch GET 200 http://host/a/-/a-1.0.0.tgz 5ms\nnpm http fetch GET 200 http://host/a 5ms"),
    told("npm http fetch GET http://host/a attempt 1 failed with EAI_AGAIN"),
  ]);
  assert.match(some, /^installing…\n[\s\S]*installing… \d\.\d s, 1 of 5 packages downloaded\n/);
  assert.match(none, /^installing…\n[\s\S]*installing… \d\.\d s, no network so far \(EAI_AGAIN\)\n/);
});

test("a Node that is too old is told so in one line", async () => {
  const project = await installed();
  const engines = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).engines.node;
  const least = engines.replace(">=", "");
  renameSync(project.file("scripts/lib/prepare.mjs"), project.file("scripts/lib/gone.mjs"));
  for (const script of ["start.mjs", "test.mjs", "setup.mjs"]) {
    const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.14.9"}})`;
    const { status, output } = await project.run(script, {}, ["--import", pretend]).ended;
    assert.equal(status, 1);
    assert.equal(output, `sabre-search needs Node ${least} or newer; this is ${process.version}.\n`);
  }
});

async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

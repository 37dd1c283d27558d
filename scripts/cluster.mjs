// `npm run cluster`: three NATS servers, an S3 store or a directory, and three servers of one cluster on this machine. Ends with Ctrl-C;
// the data stays in ./cluster.ms (or where CLUSTER_DIR says), and the next run goes on with it.
import { spawn } from "node:child_process";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { findTool, freePort, natsConfig, TOOLS } from "./lib/cluster-tools.mjs";
import { demandNode } from "./lib/node-version.mjs";

const COUNT = 3;
const FIRST_PORT = Number(process.env.CLUSTER_PORT ?? 7700);
const START_MS_MAX = 120_000;
const POLL_MS = 100;
const STORE = { access: "sabre", secret: "a secret on loopback" };

demandNode();
const nats = findTool("nats-server");
if (nats === null) {
  console.error("nats-server 2.11 or newer is needed, and not in the path, in ~/go/bin or where NATS_SERVER says:");
  console.error(`  ${TOOLS["nats-server"].install}`);
  process.exit(1);
}
const { prepare } = await import("./lib/prepare.mjs");
await prepare();

const folder = path.resolve(process.env.CLUSTER_DIR ?? "cluster.ms");
const children = [];
let isStopping = false;

/** What it prints goes to a file of its own. */
function run(name, program, args, env = {}) {
  const log = openSync(path.join(folder, `${name}.log`), "a");
  const child = spawn(program, args, { stdio: ["ignore", log, log], env: { ...process.env, ...env } });
  child.once("exit", (code, signal) => {
    if (!isStopping) console.error(`${name} ended (${signal ?? code}): see ${path.join(folder, `${name}.log`)}`);
  });
  children.push(child);
  return child;
}

async function answers(what, url, child) {
  const end = performance.now() + START_MS_MAX;
  const isWell = () =>
    fetch(url).then(
      (response) => response.ok || response.status === 403,
      () => false,
    );
  while (!(await isWell())) {
    const isGone = child.exitCode !== null || child.signalCode !== null;
    if (isGone || performance.now() > end) await stop(`${what} does not start`, 1);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

/** Servers first: they give the lead back. */
async function stop(why, code) {
  if (isStopping) return;
  isStopping = true;
  console.log(why);
  for (const child of [...children].reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  process.exit(code);
}
process.on("SIGINT", () => void stop("stopping…", 0));
process.on("SIGTERM", () => void stop("stopping…", 0));

mkdirSync(folder, { recursive: true });
const places = [];
for (let i = 0; i < COUNT; i++) {
  const [port, monitorPort, routePort] = [await freePort(), await freePort(), await freePort()];
  places.push({ name: `n${i + 1}`, folder: path.join(folder, `nats-${i + 1}`), port, monitorPort, routePort });
}
for (const place of places) {
  const config = path.join(folder, `${place.name}.conf`);
  writeFileSync(
    config,
    natsConfig(
      place,
      places.map(({ routePort }) => routePort),
    ),
  );
  // Each takes all processors to be its own, and keeps its threads looking for work on them.
  const GOMAXPROCS = `${Math.max(1, Math.floor(availableParallelism() / COUNT))}`;
  place.child = run(place.name, nats, ["-c", config], { GOMAXPROCS });
}
for (const { name, monitorPort, child } of places)
  await answers(name, `http://127.0.0.1:${monitorPort}/healthz`, child);

const gateway = findTool("versitygw");
let blobs = `file:${path.join(folder, "blobs")}`;
let storeEnv = {};
if (gateway !== null) {
  const port = await freePort();
  mkdirSync(path.join(folder, "store", "sabre"), { recursive: true });
  const who = ["--access", STORE.access, "--secret", STORE.secret, "--region", "local"];
  const child = run("store", gateway, ["--port", `127.0.0.1:${port}`, ...who, "posix", path.join(folder, "store")]);
  await answers("versitygw", `http://127.0.0.1:${port}/`, child);
  blobs = "s3://sabre/cluster";
  storeEnv = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: "local",
    AWS_ACCESS_KEY_ID: STORE.access,
    AWS_SECRET_ACCESS_KEY: STORE.secret,
  };
}

const hosts = places.map(({ port }) => `127.0.0.1:${port}`).join(",");
const cluster = `nats://${hosts}/demo?monitor=${places.map(({ monitorPort }) => monitorPort).join(",")}`;
const addresses = [];
for (let i = 0; i < COUNT; i++) {
  const name = `node-${i + 1}`;
  const address = `localhost:${FIRST_PORT + i}`;
  const own = path.join(folder, name);
  const args = ["dist/launch.js", "--http-addr", address, "--db-path", path.join(own, "data.ms")];
  args.push("--dump-dir", path.join(own, "dumps"), "--snapshot-dir", path.join(own, "snapshots"));
  args.push("--cluster", cluster, "--cluster-blobs", blobs, "--cluster-node", name, ...process.argv.slice(2));
  await answers(name, `http://${address}/health`, run(name, process.execPath, args, storeEnv));
  addresses.push(`http://${address}`);
}

console.log(`
  A cluster of ${COUNT} is ready

  servers     ${addresses.join("  ")}
  NATS        ${hosts}
  files       ${gateway === null ? `${blobs} (no versitygw: ${TOOLS.versitygw.install})` : `${blobs} at versitygw`}
  data, logs  ${folder}
  members     curl ${addresses[0]}/network
  stop        Ctrl-C
`);

// The first run of a fresh build: the server keeps what the engine made of its code (src/base/bundle), so that the first start
// of whoever installed it is as quick as any later one. Without it the first start is only slower.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The threads that every server has. */
const KEPT = ["main", "start-assemble", "worker", "writer-thread", "reader-thread", "helper-thread"];
const MS_MAX = 20_000;
const STOP_MS_MAX = 10_000;
const LOOK_MS = 50;
/** Enough that helpers index them. */
const DOCUMENTS = 20_000;
/** In the languages whose dictionaries take long to read: what is made of those is kept as well. */
const TITLES = ["中华人民共和国", "すもももももももものうち", "아버지가방에들어가신다"];

const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));

export async function runFirst(dist) {
  const folder = mkdtempSync(path.join(tmpdir(), "first-run-"));
  const args = ["--http-addr", "127.0.0.1:0", "--db-path", path.join(folder, "db"), "--no-analytics", "--readers", "1"];
  const child = spawn(process.execPath, [path.join(dist, "main.js"), ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const over = AbortSignal.timeout(MS_MAX);
    const address = await addressOf(child, over);
    await use(`http://${address}`, over);
    while (!isAllKept(path.join(dist, "code", "compiled")) && !over.aborted && child.exitCode === null) {
      await pause(LOOK_MS);
    }
  } catch {
    // Nothing depends on it.
  } finally {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By force where it does not end by itself: nothing of it is needed any more, and the build does not wait for it. */
async function end(child) {
  const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (isGone) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  await gone;
  clearTimeout(late);
}

function addressOf(child, over) {
  return new Promise((resolve, reject) => {
    over.addEventListener("abort", reject);
    child.once("error", reject);
    child.once("exit", reject);
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      const address = /address="?([^\s"]+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}

/** What clients do most. */
async function use(url, signal) {
  const send = (method, route, body) =>
    fetch(url + route, { method, signal, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: TITLES[id] ?? `number ${id}`,
    text: `The document of the number ${id}, which is ${id % 7 === 0 ? "" : "not "}divisible by seven`,
    seventh: id % 7,
  }));
  await send("PATCH", "/indexes/numbers/settings", { filterableAttributes: ["seventh"], sortableAttributes: ["id"] });
  const { taskUid } = await (await send("POST", "/indexes/numbers/documents", documents)).json();
  for (let status = ""; status !== "succeeded"; await pause(LOOK_MS)) {
    status = (await (await fetch(`${url}/tasks/${taskUid}`, { signal })).json()).status;
  }
  for (const q of ["num", "number 7", "divisable seven", "the document"]) {
    await send("POST", "/indexes/numbers/search", { q });
    await send("POST", "/indexes/numbers/search", { q, filter: "seventh = 3", facets: ["seventh"], sort: ["id:desc"] });
  }
}

function isAllKept(folder) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return KEPT.every((name) => files.some((file) => file.startsWith(`${name}-v`)));
}

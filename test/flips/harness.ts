/**
 * Flips one bit in any file of a closed data directory (the store, segments, payloads, the rest) and looks what comes of it:
 * it is found and named, or it changes nothing. Most flips are judged by the very checks that a start makes; every so many a
 * real server is started on the directory and asked for everything.
 */
import assert from "node:assert/strict";
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { decodePayload, encodePayload, preparePayload } from "../../src/base/payload/prepare.ts";
import { verifySegment } from "../../src/storage/segment/container.ts";
import { checkStoreFile, DamagedStore } from "../../src/storage/store/file/check.ts";
import { type Salvaged, salvage } from "../../src/storage/store/file/salvage.ts";
import { readVersion } from "../../src/storage/store/version.ts";
import { randomFrom } from "../crash/mixed-writes.ts";
import { type Answer, TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

interface FlipReport {
  flips: number;
  /** Found and named. */
  found: number;
  /** Without effect. */
  harmless: number;
  /** Servers that were started on a flipped directory. */
  servers: number;
}

const FLIPS_PER_SERVER = 100;
const ARGS = ["--readers", "1"];
/** On a machine that stands still for a while a search may be cut off by the clock, and answers otherwise then. */
const CUTOFF_MS = 3_600_000;

export async function flipBits(flips: number, seed: number, say: (text: string) => void): Promise<FlipReport> {
  const random = randomFrom(seed);
  const directory = temporaryDirectory();
  const expected = await fill(directory);
  const files = filesOf(join(directory, "db"));
  const groups = groupsOf(files);
  const wholes = new Map(files.map((file) => [file, wholeFile(file)]));
  const report: FlipReport = { flips, found: 0, harmless: 0, servers: 0 };
  for (let flip = 0; flip < flips; flip++) {
    const group = groups[Math.floor(random() * groups.length)]!;
    const file = group[Math.floor(random() * group.length)]!;
    const whole = wholes.get(file)!;
    const bit = Math.floor(random() * 8 * whole.bytes.length);
    const byte = whole.bytes[bit >> 3]!;
    writeByte(file, bit >> 3, byte ^ (1 << (bit & 7)));
    const name = `bit ${bit} of ${file}`;
    const isFound = isFoundIn(file, whole, name);
    if (isFound) report.found++;
    else report.harmless++;
    if (flip % FLIPS_PER_SERVER === 0) {
      await askServer(directory, file, expected, isFound, name);
      report.servers++;
      say(`${flip + 1} of ${flips} flips`);
    }
    writeByte(file, bit >> 3, byte);
  }
  rmSync(directory, { recursive: true, force: true });
  return report;
}

/** What a file was before any bit of it was flipped. */
interface WholeFile {
  bytes: Buffer;
  /** Of the store. */
  records: Salvaged["records"] | null;
}

function wholeFile(file: string): WholeFile {
  return { bytes: readFileSync(file), records: file.endsWith("store/data.mdb") ? salvage(file).records : null };
}

/** The rest of the file stays: there are thousands of flips, and a file is written as slowly as it is long. */
function writeByte(file: string, at: number, byte: number): void {
  const opened = openSync(file, "r+");
  writeSync(opened, Uint8Array.of(byte), 0, 1, at);
  closeSync(opened);
}

/** Two indexes, settings, finished tasks, and a payload in a file. */
async function fill(directory: string): Promise<Map<string, unknown>> {
  const server = await TestServer.start({ directory, args: ARGS });
  const documents = Array.from({ length: 300 }, (_, id) => ({
    id,
    title: `title ${id} of many`,
    year: 1900 + (id % 90),
  }));
  const settings = { filterableAttributes: ["year"], searchCutoffMs: CUTOFF_MS };
  for (const uid of ["left", "right"]) await server.write("PATCH", `/indexes/${uid}/settings`, settings);
  await server.write("POST", "/indexes/left/documents", documents);
  await server.write("POST", "/indexes/right/documents", documents.slice(0, 50));
  const answers = await ask(server);
  assert.equal(await server.stop(), 0);
  const body = Buffer.from(JSON.stringify(documents));
  writeFileSync(join(directory, "db", "payloads", "one"), Buffer.concat(encodePayload(preparePayload(body, "json"))));
  return answers;
}

const QUESTIONS = ["left", "right"].flatMap((uid): [string, string, unknown][] => [
  ["GET", `/indexes/${uid}/documents?limit=1000`, undefined],
  ["GET", `/indexes/${uid}/settings`, undefined],
  ["POST", `/indexes/${uid}/search`, { q: "title 1", limit: 100 }],
  ["POST", `/indexes/${uid}/search`, { q: "many", limit: 5, sort: [] }],
]);

async function ask(server: TestServer): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const [method, url, body] of [...QUESTIONS, ["GET", "/tasks?limit=100", undefined] as const]) {
    const answer: Answer = await server.request(method, url, body);
    answers.set(`${url} ${JSON.stringify(body)}`, answer.status === 200 ? comparable(answer.body) : answer);
  }
  return answers;
}

/** The store and the segments are what matters most. */
function groupsOf(files: readonly string[]): string[][] {
  const store = files.filter((file) => file.endsWith("store/data.mdb"));
  const segments = files.filter((file) => file.endsWith(".seg"));
  const payloads = files.filter((file) => file.includes("/payloads/"));
  const rest = files.filter((file) => ![...store, ...segments, ...payloads].includes(file));
  return [store, store, store, segments, segments, payloads, rest];
}

function comparable(body: unknown): unknown {
  const { processingTimeMs: _time, requestUid: _uid, ...rest } = body as Record<string, unknown>;
  return rest;
}

function filesOf(database: string): string[] {
  const entries = readdirSync(database, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.filter((file) => statSync(file).size > 0);
}

/** What the checks of a start say, and that they say it whenever something has changed. */
function isFoundIn(file: string, { bytes, records }: WholeFile, name: string): boolean {
  if (file.endsWith(".seg")) {
    const problem = verifySegment(file);
    assert.notEqual(problem, null, name);
    return true;
  }
  if (records !== null) return isFoundInStore(file, records, name);
  if (file.includes("/payloads/")) {
    assert.throws(() => decodePayload(readFileSync(file)), name);
    return true;
  }
  if (file.endsWith("VERSION")) return !bytes.equals(Buffer.from(readVersion(dirname(file)) ?? ""));
  return false;
}

function isFoundInStore(file: string, whole: Salvaged["records"], name: string): boolean {
  try {
    checkStoreFile(file);
  } catch (problem) {
    assert.ok(problem instanceof DamagedStore, `${name}: ${problem}`);
    return true;
  }
  const damaged = salvage(file);
  if (damaged.problems.length > 0) return true;
  assert.deepEqual(damaged.records, whole, `${name}: other records, and nobody noticed`);
  return false;
}

async function askServer(
  directory: string,
  file: string,
  expected: Map<string, unknown>,
  isFound: boolean,
  name: string,
): Promise<void> {
  // A server changes its directory, which the next flip needs as it was.
  const copy = temporaryDirectory();
  cpSync(join(directory, "db"), join(copy, "db"), { recursive: true });
  let server: TestServer;
  try {
    server = await TestServer.start({ directory: copy, args: ARGS });
  } catch (problem) {
    const said = (problem as Error).message;
    assert.match(said, /sabre-search: .*(damaged|VERSION|version)/, `${name}: ended without a word: ${said}`);
    rmSync(copy, { recursive: true, force: true });
    return;
  }
  try {
    let refused = 0;
    for (const [question, answer] of await ask(server)) {
      const { status, body } = answer as Partial<Answer<{ message?: string }>>;
      if (status === undefined) assert.deepEqual(answer, expected.get(question), `${name}: ${question}`);
      else {
        refused++;
        assert.equal(status, 500, `${name}: ${question}`);
        assert.match(body?.message ?? "", /damaged|checksum/, `${name}: ${question}`);
      }
    }
    if (file.endsWith(".seg") && isFound) assert.ok(refused > 0, `${name}: nothing was refused`);
  } catch (problem) {
    throw new Error(`the server said:\n${server.output.slice(-3000)}`, { cause: problem });
  } finally {
    await server.dispose();
  }
}

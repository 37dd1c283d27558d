import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const OWN_MOUNTS = ["--user", "--map-root-user", "--mount"];
const canMount =
  spawnSync("unshare", [...OWN_MOUNTS, "mount", "-t", "tmpfs", "tmpfs", temporaryDirectory()]).status === 0;
/** Starts on a disk of which not a byte is left, and says what is there afterwards. */
const ON_A_FULL_DISK = `
mount -t tmpfs -o size=8m tmpfs "$1" && cp -a "$2/." "$1" || exit 99
cat /dev/zero > "$1/rest" 2>/dev/null
cd "$1"; shift 2
timeout -s KILL 60 "$@"
status=$?
find . -name '*.trial' >&2
exit $status
`;

function startOnFullDisk(data: string, ...args: string[]): { status: number | null; said: string } {
  const command = [process.execPath, MAIN, "--db-path", "db", "--http-addr", "127.0.0.1:0", "--no-analytics", ...args];
  const ran = spawnSync(
    "unshare",
    [...OWN_MOUNTS, "sh", "-c", ON_A_FULL_DISK, "sh", temporaryDirectory(), data, ...command],
    { encoding: "utf8" },
  );
  return { status: ran.status, said: ran.stdout + ran.stderr };
}

function flipBit(file: string, at: number): void {
  const fd = openSync(file, "r+");
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, at);
  writeSync(fd, Buffer.of(byte[0]! ^ 1), 0, 1, at);
  closeSync(fd);
}

test("a start on a full disk that lacks files of its own ends by name, and leaves nothing", {
  timeout: 180_000,
  skip: canMount ? false : "needs unshare",
}, async () => {
  const server = await TestServer.start();
  await server.write("POST", "/indexes/books/documents", [{ id: 1, title: "Emma" }]);
  assert.equal(await server.stop(), 0);
  const db = (directory: string): string => join(directory, "db");
  const pageBytes = 4096;
  const cases: [name: string, spoil: (data: string) => void, args: string[], said: RegExp][] = [
    ["no database", (data) => rmSync(db(data), { recursive: true }), [], /owner\.mdb-lock` cannot be written: ENOSPC/],
    ["no lock", (data) => rmSync(join(db(data), "owner.mdb-lock")), [], /owner\.mdb-lock` cannot be written: ENOSPC/],
    [
      "no lock of the store",
      (data) => rmSync(join(db(data), "store/lock.mdb")),
      [],
      /store\/lock\.mdb` cannot be written: ENOSPC/,
    ],
    [
      "a damaged store",
      (data) => {
        for (const head of [0, pageBytes]) flipBit(join(db(data), "store/data.mdb"), head + 24);
      },
      ["--recover"],
      /store\.recovered\/lock\.mdb` cannot be written: ENOSPC/,
    ],
  ];
  for (const [name, spoil, args, expected] of cases) {
    const data = temporaryDirectory();
    cpSync(server.directory, data, { recursive: true });
    spoil(data);
    const { status, said } = startOnFullDisk(data, ...args);
    assert.equal(status, 1, `${name}: ${said}`);
    assert.match(said, expected, name);
    assert.doesNotMatch(said, /\.trial$/m, name);
  }
  await server.dispose();
});

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { readArchive, unpackArchive } from "../../../src/base/archive/reader.ts";
import { ArchiveDamage, decodeHeader, encodeHeader } from "../../../src/base/archive/tar.ts";
import { ArchiveWriter } from "../../../src/base/archive/writer.ts";
import { tarball } from "../../lib/tar.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryDirectory();
});

async function pack(files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const path = join(folder, "a.tar.gz");
  const archive = await ArchiveWriter.create(path);
  for (const [name, content] of files) await archive.add(name, content);
  await archive.finish();
  return path;
}

async function contents(path: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for await (const entry of readArchive(path)) {
    const pieces: Buffer[] = [];
    for await (const piece of entry.pieces()) pieces.push(Buffer.from(piece));
    found.set(entry.name, Buffer.concat(pieces));
  }
  return found;
}

test("what is packed comes out again, whatever the names and sizes", async () => {
  const part = fc.stringMatching(/^[a-z0-9_é-]{1,120}$/);
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc.constantFrom(0, 511, 512, 513, 1 << 19).map((size) => new Uint8Array(size).fill(7)),
  );
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.tuple(name, content), { maxLength: 6, selector: ([n]) => n }), async (files) => {
      const path = await pack(new Map(files));
      const found = await contents(path);
      assert.deepEqual(
        [...found.keys()],
        files.map(([n]) => n),
      );
      for (const [n, bytes] of files) assert.ok(found.get(n)!.equals(Buffer.from(bytes)));
    }),
    { numRuns: 30 },
  );
});

const long = `${"long-name-".repeat(20)}/data.json`;

test("archives of other programs are read, with long names in whatever way", async () => {
  for (const way of ["gnu", "pax"] as const) {
    const path = join(folder, `${way}.tgz`);
    const entries = [{ name: "./" }, { name: "./a.json", content: "{}" }, { name: `./${long}`, content: "[1]" }];
    writeFileSync(path, tarball(entries, way));
    const found = await contents(path);
    assert.equal(found.get("a.json")?.toString(), "{}");
    assert.equal(found.get(long)?.toString(), "[1]");
  }
});

const noTar = spawnSync("tar", ["--version"]).status !== 0 && "there is no tar";

test("the system's tar reads what is written, and what it writes can be read", { skip: noTar }, async () => {
  const path = await pack(
    new Map([
      ["a.json", Buffer.from("{}")],
      [long, Buffer.from("[1]")],
    ]),
  );
  execFileSync("tar", ["xzf", path, "-C", folder]);
  assert.equal(readFileSync(join(folder, long), "utf8"), "[1]");
  for (const format of ["gnu", "pax"]) {
    const packed = join(folder, `${format}.tgz`);
    execFileSync("tar", ["czf", packed, `--format=${format}`, "-C", folder, "./a.json", `./${long}`]);
    const found = await contents(packed);
    assert.equal(found.get("a.json")?.toString(), "{}");
    assert.equal(found.get(long)?.toString(), "[1]");
  }
});

test("sizes beyond 8 GiB keep their value", () => {
  const size = 5 * 2 ** 40 + 3;
  assert.deepEqual(decodeHeader(Buffer.from(encodeHeader("big", size, 0))), { name: "big", size, type: "0" });
});

test("an archive that is cut short or damaged is refused", async () => {
  const path = await pack(new Map([["a", Buffer.alloc(100_000, "some words ")]]));
  const whole = readFileSync(path);
  for (const bytes of [
    whole.subarray(0, whole.length - 20),
    whole.subarray(0, 40),
    Buffer.from("no archive"),
    gzipSync(Buffer.alloc(300)),
    gzipSync(Buffer.alloc(2048, 1)),
    Buffer.alloc(0),
  ]) {
    writeFileSync(path, bytes);
    await assert.rejects(contents(path), ArchiveDamage);
  }
});

test("names that lead out of the folder are refused, links are not made", async () => {
  for (const name of ["../outside", "/outside", "a/../../outside"]) {
    const path = join(folder, "evil.tgz");
    writeFileSync(path, gzipSync(Buffer.concat([encodeHeader(name, 0, 0), Buffer.alloc(1024)])));
    await assert.rejects(unpackArchive(path, join(folder, "into")), /unacceptable name/);
  }
  const path = join(folder, "link.tgz");
  writeFileSync(path, tarball([{ name: "./link", linkTo: "/etc" }]));
  await unpackArchive(path, join(folder, "linked"));
  assert.deepEqual(readdirSync(join(folder, "linked")), []);
});

test("an abandoned archive leaves nothing behind, an unfinished one has no name", async () => {
  const path = join(folder, "a.tar.gz");
  const archive = await ArchiveWriter.create(path);
  await archive.add("a", Buffer.from("content"));
  assert.equal(existsSync(path), false);
  await archive.abandon();
  assert.deepEqual(readdirSync(folder), []);
});

test("content that is not as long as announced is a mistake that shows", async () => {
  const archive = await ArchiveWriter.create(join(folder, "a.tar.gz"));
  await assert.rejects(archive.addPieces("a", 3, [Buffer.from("four")]), /announced/);
  await archive.abandon();
});

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import fc from "fast-check";
import { filesIn, nameOf, packFiles } from "../../../src/server/one-file/file-list.ts";
import { cachePlaces } from "../../../src/server/one-file/places.ts";
import { type Carried, unpack } from "../../../src/server/one-file/unpack.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const FOLDER = temporaryDirectory();
const fresh = (): string => path.join(mkdtempSync(path.join(FOLDER, "place-")), "sabre-search");

const FILES = {
  "boot.cjs": "boot",
  "dist/main.js": "main",
  "dist/data/words.br": "words",
  "dist/native/a.node": "code",
};

/** What the executable carries, and how often it was unpacked. */
function carried(files: Record<string, string> = FILES): Carried & { unpacked: number } {
  const { list, contents } = packFiles(
    new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])),
    1,
  );
  return {
    list,
    unpacked: 0,
    contents() {
      this.unpacked++;
      return contents;
    },
  };
}

function assertThere(folder: string): void {
  for (const [name, text] of Object.entries(FILES)) assert.equal(readFileSync(path.join(folder, name), "utf8"), text);
}

test("any files come out as they went in", () => {
  const name = fc
    .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/"));
  fc.assert(
    fc.property(fc.dictionary(name, fc.uint8Array({ maxLength: 200 })), (given) => {
      const files = new Map(Object.entries(given));
      const { list, contents } = packFiles(files, 1);
      const found = new Map(
        [...filesIn(list, contents)].map(([entry, content]) => [entry.path, Uint8Array.from(content)]),
      );
      assert.deepEqual(found, files);
    }),
  );
});

test("other files have another name, in whatever order they were given", () => {
  const name = (files: Record<string, string>) => nameOf(carried(files).list);
  assert.equal(name({ a: "1", b: "2" }), name({ b: "2", a: "1" }));
  const others: Record<string, string>[] = [{ a: "1", b: "2" }, { a: "2", b: "1" }, { a: "1" }, { c: "1", b: "2" }];
  const names = others.map(name);
  assert.equal(new Set(names).size, names.length);
});

test("files are unpacked once, where only their owner can reach them", () => {
  const program = carried();
  const place = fresh();
  const folder = unpack(program, [place]);
  assertThere(folder);
  assert.equal(unpack(program, [place]), folder);
  assert.equal(program.unpacked, 1);
  assert.deepEqual(readdirSync(place), [path.basename(folder)]);
  for (const one of [place, folder, path.join(folder, "dist")]) assert.equal(statSync(one).mode & 0o777, 0o700);
});

test("what was changed, cut off, removed or put there by others is made anew", () => {
  const damages: ((folder: string) => void)[] = [
    (folder) => writeFileSync(path.join(folder, "dist/main.js"), "evil"),
    (folder) => writeFileSync(path.join(folder, "dist/native/a.node"), "evil"),
    (folder) => writeFileSync(path.join(folder, "dist/data/words.br"), "sword"),
    (folder) => rmSync(path.join(folder, "boot.cjs")),
    (folder) => rmSync(path.join(folder, "dist"), { recursive: true }),
    (folder) => chmodSync(folder, 0o777),
    (folder) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "a file");
    },
    (folder) => {
      rmSync(folder, { recursive: true });
      symlinkSync(path.dirname(folder), folder);
    },
  ];
  const program = carried();
  for (const [i, damage] of damages.entries()) {
    const place = fresh();
    damage(unpack(program, [place]));
    const folder = unpack(program, [place]);
    assertThere(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(place), [path.basename(folder)]);
    assert.equal(program.unpacked, 2 * (i + 1));
  }
});

test("whoever comes second takes what the first one made", () => {
  const place = fresh();
  const first = carried();
  const second = carried();
  const inTime = second.contents.bind(second);
  // Both have found nothing; the first is done before the second puts its own in place.
  second.contents = () => {
    assertThere(unpack(first, [place]));
    return inTime();
  };
  assertThere(unpack(second, [place]));
  assert.equal(readdirSync(place).length, 1);
});

test("a place that will not do is passed over", () => {
  const open = fresh();
  mkdirSync(open);
  chmodSync(open, 0o777);
  const file = path.join(FOLDER, "file");
  writeFileSync(file, "");
  const place = fresh();
  const folder = unpack(carried(), [open, path.join(file, "sabre-search"), place]);
  assert.equal(path.dirname(folder), place);
  assert.deepEqual(readdirSync(open), []);
  assert.throws(() => unpack(carried(), [open]), /others may write/);
  assert.ok(existsSync(place));
});

test("the cache of the user comes first, then the temporary folder", () => {
  const home = (): string => "/home/me";
  const [cache, temporary] = cachePlaces({}, home);
  assert.equal(cache, path.join("/home/me", ".cache", "sabre-search"));
  assert.ok(temporary?.startsWith(tmpdir()));
  assert.equal(cachePlaces({ XDG_CACHE_HOME: "/var/cache/x" }, home)[0], "/var/cache/x/sabre-search");
  assert.equal(cachePlaces({ XDG_CACHE_HOME: "relative" }, home)[0], cache);
  const homeless = cachePlaces({}, () => {
    throw new Error("nobody");
  });
  assert.deepEqual(homeless, [temporary]);
});

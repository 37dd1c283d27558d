/** The list of binaries: whole, without contradiction, and what the checkout and the build have. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { addonFolder, packageFolder } from "../../../src/base/native/folder.ts";
import { glibcVersion, isAtLeast, type Machine, thisMachine } from "../../../src/base/native/machine.ts";
import { pins, pinsFor, servedName } from "../../../src/base/native/pins.ts";
import { DIST } from "./support.ts";

const linux: Machine = { os: "linux", arch: "x64", libc: "glibc", abi: 115 };

test("every binary has a name and a hash of its own", () => {
  assert.equal(new Set(pins.map(servedName)).size, pins.length);
  assert.equal(new Set(pins.map(({ sha256 }) => sha256)).size, pins.length);
  for (const pin of pins) {
    assert.match(pin.sha256, /^[0-9a-f]{64}$/);
    assert.match(pin.package, /^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/);
    assert.equal(pin.os === "linux", pin.libc !== undefined);
    assert.equal(pin.libc === "glibc", pin.glibc !== undefined);
  }
});

test("the binaries of the store are mended where they can be", () => {
  for (const { addon, os, mended, sha256 } of pins) {
    assert.equal(mended !== undefined, addon === "lmdb" && os === "linux");
    if (mended === undefined) continue;
    assert.match(mended.published, /^[0-9a-f]{64}$/);
    assert.notEqual(mended.published, sha256);
  }
});

test("the binaries that are here are those that are pinned", () => {
  for (const folder of [addonFolder, path.join(DIST, "native")]) {
    const names = readdirSync(folder).filter((name) => pins.some((pin) => servedName(pin) === name));
    assert.ok(names.some((name) => name.startsWith("lmdb-")));
    for (const name of names) {
      const bytes = readFileSync(path.join(folder, name));
      const pin = pins.find((known) => servedName(known) === name)!;
      assert.equal(createHash("sha256").update(bytes).digest("hex"), pin.sha256, name);
      assert.equal(bytes.length, pin.bytes, name);
    }
  }
});

test("each Node that is served has its own HTTP library, and all have the same store", () => {
  for (const arch of ["x64", "arm64"]) {
    for (const abi of [115, 127, 137]) assert.equal(pinsFor("uws", { ...linux, arch, abi }).length, 1);
    assert.equal(pinsFor("uws", { ...linux, arch, abi: 999 }).length, 0);
    for (const libc of ["glibc", "musl"] as const) {
      assert.notEqual(pinsFor("lmdb", { ...linux, arch, libc, abi: 999 }).length, 0);
    }
  }
});

test("of several that fit, the one for newer systems comes first", () => {
  for (const arch of ["x64", "arm64"]) {
    const [newer, older] = pinsFor("lmdb", { ...linux, arch });
    assert.ok(isAtLeast(newer!.glibc!, older!.glibc!) && newer!.glibc !== older!.glibc);
    assert.ok(isAtLeast("2.31", older!.glibc!));
  }
});

test("the best binary of the store is of the version whose code is bundled", () => {
  const manifest = path.join(packageFolder, "node_modules", "lmdb", "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const best = pins.filter(({ addon, glibc }) => addon === "lmdb" && (glibc === undefined || isAtLeast(glibc, "2.34")));
  assert.equal(best.length, 7);
  for (const pin of best) assert.ok(pin.package.endsWith(`@${version}`), pin.package);
});

test("versions are compared by number", () => {
  assert.ok(isAtLeast("2.36", "2.34"));
  assert.ok(isAtLeast("2.34", "2.34"));
  assert.ok(!isAtLeast("2.4", "2.34"));
  assert.ok(!isAtLeast("2.9", "2.17"));
  assert.ok(isAtLeast("3.0", "2.34"));
});

test("the machine is known", { skip: process.platform !== "linux" }, () => {
  assert.equal(thisMachine().libc === "glibc", glibcVersion() !== null);
});

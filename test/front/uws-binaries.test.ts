import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

const root = new URL("../../", import.meta.url);

/** The id git would give the file: what upstream's repository lists for the release these binaries claim to be. */
function gitBlobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

test("the installed uWebSockets binaries are the ones upstream released", () => {
  const expected = JSON.parse(readFileSync(new URL("scripts/uws-blobs.json", root), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  for (const [name, files] of Object.entries(expected)) {
    for (const [file, id] of Object.entries(files)) {
      assert.equal(gitBlobId(readFileSync(new URL(`node_modules/${name}/${file}`, root))), id, file);
    }
  }
});

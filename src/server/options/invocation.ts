/**
 * How this program is called where it was started: by its name where a shell finds it, through npx where npm started it, else by
 * its path. What a hint tells people to type has to work when they paste it.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { isSea } from "node:sea";

interface Started {
  /** The file that runs, without links. */
  file: string;
  /** Whether it is an executable of its own; else Node runs it. */
  isExecutable: boolean;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

const NAMES = ["sabre", "sabre-search"];
/** npm puts these before the PATH of what it starts, and of nothing else. */
const OF_NPM = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

export function invocation(): string {
  const isExecutable = isSea();
  const file = isExecutable ? process.execPath : process.argv[1]!;
  return invocationOf({ file: withoutLinks(file) ?? file, isExecutable, cwd: process.cwd(), env: process.env });
}

export function invocationOf({ file, isExecutable, cwd, env }: Started): string {
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "" && !OF_NPM.test(folder));
  const names = isExecutable ? [path.basename(file)] : NAMES;
  // The first file of a name is the one that a shell starts.
  const found = names.find((name) => {
    const first = folders.map((folder) => withoutLinks(path.join(folder, name))).find((each) => each !== null);
    return first === file;
  });
  if (found !== undefined) return found;
  const near = path.relative(cwd, file);
  const isBelow = !near.startsWith("..") && !path.isAbsolute(near);
  // Elsewhere npx looks for a package of the name.
  if (!isExecutable && env["npm_execpath"] !== undefined) return `npx ${isBelow ? NAMES[0] : NAMES[1]}`;
  const place = quoted(isBelow ? (isExecutable ? `.${path.sep}${near}` : near) : file);
  return isExecutable ? place : `node ${place}`;
}

function withoutLinks(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

function quoted(place: string): string {
  return /^[\w./\\:-]+$/.test(place) ? place : `"${place}"`;
}

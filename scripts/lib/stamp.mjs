// Whether sources are those that something was made from. Content decides, not times: a fresh checkout of the same sources
// needs no build, and neither does a touched file. Reading it all takes a while, so what the file system says of each file
// (size, times, number) is kept beside the stamp, and where none of that changed nothing is read.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

export function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

export class Stamp {
  #root;
  #files;
  #made;
  /** Taken before anything is made from the files: a change while it is made must show. */
  #traits;
  #content = null;

  /** `made`: what else decides what is made. */
  constructor(root, files, made = "") {
    this.#root = root;
    this.#files = files;
    this.#made = made;
    this.#traits = [made, ...files.map((file) => this.#traitsOf(file))].join("\n");
  }

  /** Whether the folder was made from files like these. */
  fits(folder) {
    if (read(path.join(folder, ".stamp")) === "") return false;
    if (read(path.join(folder, ".seen")) === this.#traits) return true;
    if (read(path.join(folder, ".stamp")) !== this.#hash()) return false;
    try {
      writeFileSync(path.join(folder, ".seen"), this.#traits);
    } catch {
      // A folder that cannot be written costs time, no more.
    }
    return true;
  }

  putInto(folder) {
    writeFileSync(path.join(folder, ".stamp"), this.#hash());
    writeFileSync(path.join(folder, ".seen"), this.#traits);
  }

  /** The time of the last change to a file's record cannot be set back, as the time of writing can. */
  #traitsOf(file) {
    const { size, mtimeNs, ctimeNs, ino } = statSync(file, { bigint: true });
    return [path.relative(this.#root, file), size, mtimeNs, ctimeNs, ino].join(" ");
  }

  #hash() {
    if (this.#content === null) {
      const hash = createHash("sha256").update(this.#made);
      for (const file of this.#files) {
        const bytes = readFileSync(file);
        hash.update(`${path.relative(this.#root, file)}\0${bytes.length}\0`).update(bytes);
      }
      this.#content = hash.digest("hex");
    }
    return this.#content;
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

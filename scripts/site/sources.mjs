// What the documentation for browsers is made from. Read at every start, so it loads nothing that is only needed to make it.
import path from "node:path";
import { filesUnder } from "../lib/stamp.mjs";

/** Pages beside the folder `docs`, with their addresses. */
export const OTHERS = { "README.md": "/docs/readme", "CHANGELOG.md": "/docs/changelog" };

const FOLDERS = ["docs", "scripts/site", "src/page/docs", "src/page/state", "src/page/style"];
const FILES = [...Object.keys(OTHERS), "src/page/icon.svg", "scripts/lib/pack.mjs", "scripts/lib/page.mjs"];

export function siteSources(root) {
  const files = FOLDERS.flatMap((folder) => filesUnder(path.join(root, folder)));
  return [...files, ...FILES.map((file) => path.join(root, file))];
}

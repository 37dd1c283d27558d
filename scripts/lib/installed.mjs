// Whether node_modules is what the lockfile asks for. Decided by content, never by times: a tree that was copied, touched or
// restored fits as well as the one npm made.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Packages that are missing or other than they should be, by their place; none when all fits. */
export function misfits(root) {
  const wanted = packagesIn(path.join(root, "package-lock.json"));
  const installed = packagesIn(path.join(root, "node_modules", ".package-lock.json"));
  return [...neededHere(wanted)].filter((place) => {
    const want = wanted[place];
    const have = installed[place];
    // The list that npm keeps may have outlived the package itself.
    const same = have?.version === want.version && have?.integrity === want.integrity;
    return !same || !existsSync(path.join(root, place, "package.json"));
  });
}

export function packagesIn(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

/** What can be reached from the project itself without packages made for other systems. */
export function neededHere(packages) {
  const needed = new Set();
  const waiting = [""];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dependencies, devDependencies, optionalDependencies } = packages[place] ?? {};
    const names = new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
    for (const name of names) {
      const found = resolve(packages, place, name);
      if (found === null || needed.has(found)) continue;
      const isOptional = optionalDependencies?.[name] !== undefined;
      if (isOptional && !isForHere(packages[found])) continue;
      needed.add(found);
      waiting.push(found);
    }
  }
  return needed;
}

/** As Node does: in the package's own folder first, then in those around it. */
function resolve(packages, place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const candidate = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (folder === "") return null;
  }
}

function isForHere({ os, cpu, libc, engines }) {
  if (!lists(os, process.platform) || !lists(cpu, process.arch)) return false;
  return lists(libc, libc === undefined ? "" : libcHere()) && engineFits(engines?.node);
}

/** `["linux"]` or `["!win32"]`. */
function lists(names, name) {
  if (names === undefined) return true;
  if (names.includes(`!${name}`)) return false;
  return names.includes(name) || names.every((other) => other.startsWith("!"));
}

let foundLibc;
function libcHere() {
  if (foundLibc === undefined) {
    process.report.excludeNetwork = true;
    foundLibc = process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
  }
  return foundLibc;
}

/** npm leaves an optional package out whose engine is another. Ranges of other forms than these are taken not to fit. */
function engineFits(range) {
  if (range === undefined || range === "*") return true;
  return range.split("||").some((alternative) => {
    const [, operator, ...least] = /^\s*(>=|\^)\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?\s*$/.exec(alternative) ?? [];
    if (operator === undefined) return false;
    const have = process.versions.node.split(".").map(Number);
    const want = least.map((part) => Number(part ?? 0));
    if (operator === "^" && have[0] !== want[0]) return false;
    const differs = have.findIndex((part, i) => part !== want[i]);
    return differs < 0 || have[differs] > want[differs];
  });
}

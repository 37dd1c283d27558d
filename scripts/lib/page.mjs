// Bundles the page for browsers: one script, one style sheet and an icon, named after their content, the document that asks
// for them, and each of these packed.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pack } from "./pack.mjs";

/** As they are named in the document's source: what their content is called stands there instead. */
const PLACEHOLDERS = { ".js": "SCRIPT", ".css": "STYLE", ".svg": "ICON" };

/** Gives what esbuild says of the bundle. */
export async function bundlePage(build, root, into) {
  const source = path.join(root, "src", "page");
  const built = await build({
    entryPoints: [
      { in: path.join(source, "main.tsx"), out: "page" },
      { in: path.join(source, "style", "page.css"), out: "page" },
    ],
    absWorkingDir: root,
    outdir: into,
    entryNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
  });
  mkdirSync(into, { recursive: true });
  const icon = readFileSync(path.join(source, "icon.svg"));
  writeFileSync(path.join(into, `icon-${shortHash(icon)}.svg`), icon);
  let document = readFileSync(path.join(source, "index.html"), "utf8");
  for (const name of readdirSync(into)) {
    const word = PLACEHOLDERS[path.extname(name)];
    document = document.replaceAll(`/page/${word}`, `/page/${name}`);
  }
  writeFileSync(path.join(into, "index.html"), document);
  await pack(readdirSync(into).map((name) => path.join(into, name)));
  return built;
}

export function shortHash(content) {
  return createHash("sha256").update(content).digest("hex").slice(0, 8);
}

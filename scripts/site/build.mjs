// The documentation as a site for browsers, made from the Markdown of README, CHANGELOG and docs: a page each, contents in the
// order of docs/README.md, and an index of all sections for the search. The server serves it under /docs.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pack } from "../lib/pack.mjs";
import { shortHash } from "../lib/page.mjs";
import { filesUnder } from "../lib/stamp.mjs";
import { layout } from "./layout.mjs";
import { sectionsOf, toHtml } from "./markdown.mjs";
import { OTHERS } from "./sources.mjs";

const BASE = "/docs";
/** The contents list what this page does. */
const CONTENTS = "docs/README.md";

export async function buildSite(build, root, into) {
  mkdirSync(into, { recursive: true });
  const files = await sharedFiles(build, root, into);
  const pictures = putPictures(root, into);
  const pages = readPages(root, pictures);
  const groups = groupsOf(readFileSync(path.join(root, CONTENTS), "utf8"), pages);
  files.sections = put(into, "sections", ".json", JSON.stringify(searched(pages, groups)));
  for (const page of pages.values()) {
    const file = path.join(into, `${page.address.slice(BASE.length + 1) || "index"}.html`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, layout(page, groups, files));
  }
  await pack(filesUnder(into).filter((file) => !file.endsWith(".png")));
}

/** Script, style and icon, by their addresses. */
async function sharedFiles(build, root, into) {
  const source = path.join(root, "src", "page");
  const { outputFiles } = await build({
    entryPoints: ["main.ts", "docs.css"].map((name) => path.join(source, "docs", name)),
    absWorkingDir: root,
    outdir: into,
    bundle: true,
    minify: true,
    write: false,
    // Loaded before the body, so that no page is seen in the wrong colours.
    format: "iife",
    platform: "browser",
    target: ["chrome123", "firefox120", "safari17.5"],
    logLevel: "warning",
  });
  const text = (extension) => outputFiles.find(({ path: file }) => file.endsWith(extension)).text;
  return {
    script: put(into, "docs", ".js", text(".js")),
    style: put(into, "docs", ".css", text(".css")),
    icon: put(into, "icon", ".svg", readFileSync(path.join(source, "icon.svg"))),
  };
}

/** Under a name that tells the content. */
function put(into, name, extension, content) {
  const file = `${name}-${shortHash(content)}${extension}`;
  writeFileSync(path.join(into, file), content);
  return `${BASE}/${file}`;
}

/** The addresses of pictures by their paths. */
function putPictures(root, into) {
  const folder = "docs/pictures";
  return new Map(
    readdirSync(path.join(root, folder)).map((name) => {
      const { name: word, ext } = path.parse(name);
      return [`${folder}/${name}`, put(into, word, ext, readFileSync(path.join(root, folder, name)))];
    }),
  );
}

/** By the paths of their sources. */
function readPages(root, pictures) {
  const sources = filesUnder(path.join(root, "docs"))
    .map((file) => path.relative(root, file).replaceAll(path.sep, "/"))
    .filter((file) => file.endsWith(".md"));
  const addresses = new Map([
    ...sources.map((file) => [file, addressOf(file)]),
    ...Object.entries(OTHERS),
    ...pictures,
  ]);
  return new Map(
    [...sources, ...Object.keys(OTHERS)].map((file) => {
      const html = toHtml(readFileSync(path.join(root, file), "utf8"), (href) => resolved(href, file, addresses));
      const sections = sectionsOf(html);
      return [file, { address: addresses.get(file), title: sections[0].heading, html, sections }];
    }),
  );
}

/** `docs/reference/options.md` is `/docs/reference/options`, and a README stands for its folder. */
function addressOf(file) {
  return `/${file.replace(/\.md$/, "").replace(/\/README$/, "")}`;
}

/** What a link of a source is on the site: null for files that are no part of it. */
function resolved(href, file, addresses) {
  if (/^(https?:|#)/.test(href)) return href;
  const [target, place] = href.split("#");
  const address = addresses.get(path.posix.join(path.posix.dirname(file), target));
  if (address === undefined) return null;
  return place === undefined ? address : `${address}#${place}`;
}

function groupsOf(contents, pages) {
  const [, ...parts] = contents.split(/^## /m);
  const links = (text) =>
    [...text.matchAll(/\]\(([^)#]+)/g)].map(([, href]) => pages.get(path.posix.join(path.dirname(CONTENTS), href)));
  const first = {
    title: "Begin",
    pages: [pages.get(CONTENTS), pages.get("docs/getting-started.md"), pages.get("README.md")],
  };
  const rest = parts.map((part) => ({ title: part.slice(0, part.indexOf("\n")), pages: links(part) }));
  return [first, ...rest];
}

/** As the search reads it: `[address, title, [[heading, place, text], …]]` a page, in the order of the contents. */
function searched(pages, groups) {
  const inOrder = new Set([...groups.flatMap((group) => group.pages), ...pages.values()]);
  return [...inOrder].map(({ address, title, sections }) => [
    address,
    title,
    sections.map(({ heading, place, text }) => [heading, place, text]),
  ]);
}

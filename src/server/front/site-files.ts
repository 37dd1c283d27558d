/**
 * What browsers are shown, the page (`src/page`) and the documentation, as the build left it beside the server: compressed,
 * read when the first browser asks and kept from then on. Names of files that documents ask for tell their
 * content, so that nobody asks for one twice.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { Coding } from "../../engine/link/coding.ts";
import { type Answer, emptyAnswer } from "./answer.ts";
import { negotiate } from "./compress.ts";

/** What is shown first. */
const INDEX = "index";
const DOCUMENT = ".html";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
/** What can be packed lies there packed only. */
const PACKED = ".br";

/** Code and styles come from here alone; pictures of documents lie anywhere, and nothing else is ever asked of others. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' https: data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
const GUARDS = [
  ["Content-Security-Policy", POLICY],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
] as const;

/** Of one address. Made when it is first asked for, and each coding when it is first wanted. */
class SiteFile {
  readonly contentType: string;
  readonly isDocument: boolean;
  readonly etag: string;
  readonly codings: readonly Coding[];
  readonly #bodies = new Map<Coding | null, Buffer>();

  /** `extension`: without that of the coding. */
  constructor(file: string, extension: string) {
    const content = readFileSync(file);
    const isPacked = file.endsWith(PACKED);
    this.contentType = TYPES[extension]!;
    this.isDocument = extension === DOCUMENT;
    this.etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
    this.codings = isPacked ? ["br", "gzip"] : [];
    this.#bodies.set(isPacked ? "br" : null, content);
  }

  body(coding: Coding | null): Buffer {
    const made = this.#bodies.get(coding) ?? this.#make(coding);
    this.#bodies.set(coding, made);
    return made;
  }

  #make(coding: Coding | null): Buffer {
    if (coding === null) return brotliDecompressSync(this.#bodies.get("br")!);
    return gzipSync(this.body(null));
  }
}

export class SiteFiles {
  readonly #folder: string;
  /** Paths by address. */
  #paths: ReadonlyMap<string, string> | null = null;
  readonly #files = new Map<string, SiteFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * `name`: of a document without its extension, none for the one that is shown first. `known`: the tags of what the browser has
   * already (`If-None-Match`).
   */
  answer(name: string, acceptEncoding: string, known: string): Answer {
    const file = this.#find(name || INDEX);
    if (file === null) return emptyAnswer(404);
    const lasts = file.isDocument ? "no-cache" : "public, max-age=31536000, immutable";
    const headers = [["ETag", file.etag], ["Cache-Control", lasts], ...GUARDS] as const;
    if (known.split(",").some((tag) => tag.trim() === file.etag)) return { ...emptyAnswer(304), headers };
    const coding = negotiate(acceptEncoding, file.codings);
    return { status: 200, contentType: file.contentType, body: file.body(coding), coding, headers };
  }

  #find(name: string): SiteFile | null {
    this.#paths ??= pathsIn(this.#folder);
    const path = this.#paths.get(name);
    if (path === undefined) return null;
    const file = this.#files.get(name) ?? new SiteFile(path, extensionOf(path));
    this.#files.set(name, file);
    return file;
  }
}

/** Documents are asked for without their extension. */
function pathsIn(folder: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (TYPES[extensionOf(name)] === undefined) continue;
    const address = name.replaceAll(path.sep, "/");
    paths.set(trimmed(trimmed(address, PACKED), DOCUMENT), path.join(folder, name));
  }
  return paths;
}

function extensionOf(name: string): string {
  return path.extname(trimmed(name, PACKED));
}

function trimmed(name: string, ending: string): string {
  return name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** Null where the server runs from its sources: browsers cannot read those. */
export function builtSite(name: "page" | "docs"): SiteFiles | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const folder = fileURLToPath(new URL(`./${name}`, import.meta.url));
  return existsSync(path.join(folder, INDEX + DOCUMENT + PACKED)) ? new SiteFiles(folder) : null;
}

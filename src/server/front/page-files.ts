/**
 * The files of the page for browsers (`src/page`), as the build left them beside the server: each plain and compressed, read
 * when the first browser asks and kept from then on. Their names tell their content, so that nobody asks for one twice.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Coding } from "../../engine/link/coding.ts";
import { type Answer, emptyAnswer } from "./answer.ts";
import { negotiate } from "./compress.ts";

export const INDEX_FILE = "index.html";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** The smallest first. */
const SUFFIXES: readonly (readonly [Coding, string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

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

interface PageFile {
  contentType: string;
  etag: string;
  plain: Buffer;
  coded: ReadonlyMap<Coding, Buffer>;
}

export class PageFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, PageFile> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `known`: the tags of what the browser has already (`If-None-Match`). */
  answer(name: string, acceptEncoding: string, known: string): Answer {
    this.#files ??= readFiles(this.#folder);
    const file = this.#files.get(name);
    if (file === undefined) return emptyAnswer(404);
    const lasts = name === INDEX_FILE ? "no-cache" : "public, max-age=31536000, immutable";
    const headers = [["ETag", file.etag], ["Cache-Control", lasts], ...GUARDS] as const;
    if (known.split(",").some((tag) => tag.trim() === file.etag)) return { ...emptyAnswer(304), headers };
    const coding = negotiate(acceptEncoding, [...file.coded.keys()]);
    const body = coding === null ? file.plain : file.coded.get(coding)!;
    return { status: 200, contentType: file.contentType, body, coding, headers };
  }
}

function readFiles(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const contentType = TYPES[path.extname(name)];
    if (contentType === undefined) continue;
    const plain = readFileSync(path.join(folder, name));
    const coded = SUFFIXES.map(([coding, suffix]) => [coding, readFileSync(path.join(folder, name + suffix))] as const);
    const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    files.set(name, { contentType, etag, plain, coded: new Map(coded) });
  }
  return files;
}

/** Null where the server runs from its sources: browsers cannot read those. */
export function builtPage(): PageFiles | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const folder = fileURLToPath(new URL("./page", import.meta.url));
  return existsSync(path.join(folder, INDEX_FILE)) ? new PageFiles(folder) : null;
}

/** The blocks of code in a page of Markdown, as they stand there. */
import { readdirSync, readFileSync } from "node:fs";

export interface CodeBlock {
  language: string;
  /** Why no test runs it, where it says so: `sh not-run: docker`. */
  notRun: string | null;
  /** The heading above it. */
  heading: string;
  code: string;
}

const ROOT = new URL("../../", import.meta.url);
const FENCE = /^ *```(\w*)(?: not-run: (\w+))?$/;

/** Of README and docs, by their paths. */
export function pages(): string[] {
  const files = readdirSync(new URL("docs/", ROOT), { recursive: true, encoding: "utf8" });
  return ["README.md", ...files.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)];
}

export function textOf(page: string): string {
  return readFileSync(new URL(page, ROOT), "utf8");
}

export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = "";
  let open: CodeBlock | null = null;
  for (const line of textOf(page).split("\n")) {
    const fence = FENCE.exec(line);
    if (open === null) {
      if (fence !== null) open = { language: fence[1]!, notRun: fence[2] ?? null, heading, code: "" };
      else if (line.startsWith("#")) heading = line.replace(/^#+ /, "");
    } else if (fence !== null) {
      blocks.push(open);
      open = null;
    } else {
      open.code += `${line}\n`;
    }
  }
  return blocks;
}

/** Whether somebody who reads it would paste it into a shell. */
export function isForShell({ language }: CodeBlock): boolean {
  return language === "sh" || language === "bash";
}

/** The blocks of code in a page of Markdown, as they stand there. */
import { readFileSync } from "node:fs";

export interface CodeBlock {
  language: string;
  /** The heading above it. */
  heading: string;
  code: string;
}

export function codeBlocks(file: URL): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = "";
  let open: CodeBlock | null = null;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const fence = /^```(\w*)$/.exec(line);
    if (open === null) {
      if (fence !== null) open = { language: fence[1]!, heading, code: "" };
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

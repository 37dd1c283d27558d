/** Commands of a block of shell, word by word, as far as the documentation uses that language. */

export interface Command {
  /** What is set for it alone. */
  env: Record<string, string>;
  words: string[];
}

const COMMENT = /(?:^|\s+)#.*$/gm;
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;

export function commandsIn(code: string): Command[] {
  return code
    .replace(/\\\n/g, " ")
    .split(/\n(?=(?:[^']*'[^']*')*[^']*$)/)
    .flatMap((line) => line.replace(COMMENT, "").split(/ && | \|\|? /))
    .map((line) => command(line.match(WORD) ?? []))
    .filter(({ words }) => words.length > 0);
}

function command(words: readonly string[]): Command {
  const env: Record<string, string> = {};
  const left = words.map((word) => word.replace(/["']/g, ""));
  if (left[0] === "export") return { env, words: [] };
  for (let set = /^(\w+)=(.*)$/.exec(left[0] ?? ""); set !== null; set = /^(\w+)=(.*)$/.exec(left[0] ?? "")) {
    env[set[1]!] = set[2]!;
    left.shift();
  }
  return { env, words: left };
}

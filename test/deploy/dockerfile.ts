/** The instructions of a Dockerfile by stage: as much of its grammar as ours uses. */
interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  /** What follows AS; null for a stage that has no name. */
  name: string | null;
  base: string;
  instructions: Instruction[];
}

export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  const stages: Stage[] = [];
  for (const line of lines) {
    const match = /^\s*([A-Z]+)\s+(.*?)\s*$/.exec(line);
    if (match === null) continue;
    const [, name = "", text = ""] = match;
    if (name !== "FROM") {
      stages.at(-1)?.instructions.push({ name, text });
      continue;
    }
    const [, base = "", as = null] = /^(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?$/.exec(text) ?? [];
    stages.push({ name: as, base, instructions: [] });
  }
  return stages;
}

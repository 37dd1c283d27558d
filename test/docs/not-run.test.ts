// Every block of code of README and docs is run by a test (`examples.test.ts`), or says why not. The reasons are few, and each has
// a check of its own: what cannot be run names scripts, files, options and routes that are there.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { ROUTES } from "../../src/base/contract/routes.ts";
import { readOptions } from "../../src/server/options/options.ts";
import { codeBlocks, isForShell, pages } from "./code-blocks.ts";
import { type Command, commandsIn } from "./shell-words.ts";

const ROOT = new URL("../../", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as {
  scripts: Record<string, string>;
};
const isThere = (file: string): boolean => existsSync(new URL(file, ROOT));

/** Stand for something that the reader knows. */
const LEFT_OUT = ["…", "AKIA…"];
const SERVERS = ["sabre", "sabre-search"];

/** The server takes these options: it reads them as it would to start. */
function serves({ env, words }: Command): void {
  const isNpm = words[0] === "npm";
  assert.ok(isNpm ? words[1] === "start" : SERVERS.includes(words[0]!), words.join(" "));
  const args = words.slice(isNpm ? 2 : 1).filter((word) => !["--", "serve", "…"].includes(word));
  const { kind } = readOptions(args, env, "1.2.3");
  assert.equal(kind, "run");
}

/** Scripts and files of the project. */
function worksOnProject({ words }: Command): void {
  const [program, ...rest] = words;
  const named = rest.filter((word) => !word.startsWith("-"));
  if (program === "npm") assert.ok(scripts[rest[0] === "run" ? rest[1]! : rest[0]!] !== undefined, words.join(" "));
  else assert.ok(program === "node" && named.some(isThere), words.join(" "));
}

/** The routes of our own that it asks. */
function asksRoute({ words }: Command): void {
  const address = words.find((word) => word.startsWith("localhost:7700"))!;
  const steps = address.slice("localhost:7700".length).split("/");
  const fits = ROUTES.some(({ path }) => {
    const pattern = path.split("/");
    return pattern.length === steps.length && pattern.every((step, i) => step.startsWith("{") || step === steps[i]);
  });
  assert.ok(fits, address);
}

const REASONS: Record<string, (command: Command) => void> = {
  /** It goes on until it is stopped. */
  serves,
  /** It takes minutes, or makes something that the tests stand on. */
  project: worksOnProject,
  /** There is no container in a test. */
  docker: ({ words }) => {
    assert.equal(words[0], "docker");
    assert.ok(isThere(words[1] === "compose" ? "compose.yaml" : "Dockerfile"));
  },
  /** It needs somebody else: a service, or a package that is downloaded. */
  outside: (command) => {
    if (command.words[0] === "curl") asksRoute(command);
    else if (command.words[1] === "run") worksOnProject(command);
    else assert.match(command.words.join(" "), /^(npm install|python3 -m venv|\S+\/pip install) /);
  },
};

suite("Blocks of code that are not run", () => {
  for (const page of pages()) {
    const left = codeBlocks(page).filter((block) => block.notRun !== null);
    if (left.length === 0) continue;
    test(`${page}: name what is there`, () => {
      for (const { notRun, code } of left) {
        const check = REASONS[notRun!];
        assert.ok(check, `no such reason: ${notRun}`);
        const commands = commandsIn(code);
        assert.ok(commands.length > 0, code);
        for (const command of commands) {
          if (!command.words.some((word) => LEFT_OUT.includes(word)) || notRun === "serves") check(command);
        }
      }
    });
  }

  test("all others are run, are answers, or nothing that could be run", () => {
    for (const page of pages()) {
      for (const block of codeBlocks(page)) {
        if (isForShell(block)) continue;
        assert.ok(block.language === "json" || block.language === "", `${page}: ${block.language}`);
        assert.doesNotMatch(block.code, /^ *(\w+=\S+ )*(curl|npm|node|sabre(-search)?|docker) /m, page);
      }
    }
  });
});

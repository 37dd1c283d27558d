/** A checkpoint of a cluster becomes a server on its own again, and that one the beginning of another cluster. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { ask, inDirectory, KEY, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const OFTEN = ["--cluster-checkpoint-interval", "1"];

const sabre = (...args: string[]): string => execFileSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });

async function titles(server: TestServer): Promise<string[]> {
  const { body } = await ask<{ results: { title: string }[] }>(server, "GET", "/indexes/films/documents");
  return body.results.map(({ title }) => title);
}

test(
  "checkpoints are listed, restored by time, served alone, and begin another cluster",
  ending(async () => {
    const place = inDirectory();
    const from = ["--from", `file:${place.blobs}`];
    const one = await startNode(place, "one", undefined, OFTEN);
    const backups = (): string[] =>
      sabre("backups", ...from)
        .trim()
        .split("\n")
        .filter(Boolean);
    const held = async (title: string): Promise<string> => {
      await one.write("POST", "/indexes/films/documents", [{ id: title, title }]);
      const { headers } = await one.request("GET", "/tasks?limit=1");
      const sequence = Number(headers.get("x-sabre-seq"));
      await until("a checkpoint", async () => Number(backups()[0]?.split(/\s+/)[1]) >= sequence);
      return backups()[0]!.split(/\s+/)[0]!;
    };
    const time = await held("first");
    await held("second");
    assert.equal(await one.stop(), 0, one.output);

    const [early, late] = [temporaryDirectory(), temporaryDirectory()];
    sabre("restore", ...from.slice(0, 1), `${from[1]}@${time}`, "--db-path", join(early, "db"));
    assert.match(sabre("restore", ...from, "--db-path", join(late, "db")), /holds the checkpoint of/);
    assert.throws(() => sabre("restore", ...from, "--db-path", join(late, "db")), /holds data already/);
    assert.throws(
      () => sabre("restore", "--from", `${from[1]}@2001-01-01`, "--db-path", temporaryDirectory()),
      /no checkpoint that is not later than 2001/,
    );
    assert.throws(
      () => sabre("restore", "--from", `${from[1]}@2026-13-01`, "--db-path", temporaryDirectory()),
      /2026-13-01 is no time, such as/,
    );
    const alone = await TestServer.start({ key: KEY, directory: early });
    assert.deepEqual(await titles(alone), ["first"]);
    await alone.write("POST", "/indexes/films/documents", [{ id: "third", title: "third" }]);
    assert.equal(await alone.stop(), 0);

    const another = inDirectory();
    const nodes = [await startNode(another, "two", late)];
    assert.match(nodes[0]!.output, /a cluster begins with the data of this server/);
    nodes.push(await startNode(another, "three"));
    await nodes[1]!.write("POST", "/indexes/films/documents", [{ id: "fourth", title: "fourth" }]);
    for (const node of nodes) assert.deepEqual(await titles(node), ["first", "second", "fourth"]);
    await assert.rejects(startNode(another, "four", early), /has begun with other data/);
    for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
    await mustHoldTheSame({ ...another, isWhole: false }, nodes);
  }),
);

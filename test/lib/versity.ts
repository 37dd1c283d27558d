/** An S3-compatible store of others for tests: versitygw, over a directory. Where there is none, tests that want it are left out. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { S3Place } from "../../src/storage/s3/options.ts";
import { until } from "./patience.ts";
import { freePort } from "./server.ts";
import { inBackground, temporaryDirectory } from "./temporary.ts";

/** `VERSITYGW`, or what is in the path or where Go puts programs. */
const program: string | null = findProgram();

export const withoutVersity: string | false =
  program === null ? "no versitygw: go install github.com/versity/versitygw/cmd/versitygw@latest" : false;

function findProgram(): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), path.join(homedir(), "go", "bin")];
  const candidates = [process.env["VERSITYGW"] ?? "", ...folders.map((folder) => path.join(folder, "versitygw"))];
  return candidates.find((file) => file !== "" && existsSync(file)) ?? null;
}

interface VersityStore {
  place: S3Place;
  stop(): void;
}

export async function startVersity(): Promise<VersityStore> {
  const folder = temporaryDirectory();
  mkdirSync(path.join(folder, "bucket"));
  const port = await freePort();
  const identity = { accessKey: "tests", secretKey: "a secret of tests" };
  const args = ["--port", `127.0.0.1:${port}`, "--access", identity.accessKey, "--secret", identity.secretKey];
  const child = inBackground(spawn(program!, [...args, "--region", "here", "posix", folder], { stdio: "ignore" }));
  const url = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await until(answers, () => "versitygw starts", { seconds: 30, firstMs: 50 });
  const place = { url, region: "here", bucket: "bucket", identity, signatureSeconds: 600 };
  return { place, stop: () => child.kill("SIGKILL") };
}

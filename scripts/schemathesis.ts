/**
 * `npm run schemathesis [-- EXAMPLES [SEED]]`: another generator of requests, which reads the OpenAPI document as any client
 * would: no answer may be a fault of the server, and all must have the shapes, types and codes that are declared. The tool is
 * `schemathesis` of PyPI, found on the path or where `SCHEMATHESIS` says.
 */
import { spawn } from "node:child_process";
import { TestServer } from "../test/lib/server.ts";

const examples = Number(process.argv[2] ?? 20);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if (!Number.isInteger(examples) || !Number.isInteger(seed)) throw new Error("EXAMPLES and SEED are whole numbers");
const tool = process.env["SCHEMATHESIS"] ?? "schemathesis";
const key = "a master key for the day";
const checks = [
  "not_a_server_error",
  "response_schema_conformance",
  "content_type_conformance",
  "status_code_conformance",
];
/** Streams without an end, and calls to other servers. */
const LEFT_OUT = "^/(logs|chats|export)|/stream$";

const server = await TestServer.start({ key });
try {
  const { body } = await server.request<Record<string, boolean>>("GET", "/experimental-features");
  await server.request(
    "PATCH",
    "/experimental-features",
    Object.fromEntries(Object.keys(body).map((name) => [name, true])),
  );
  await server.write("POST", "/indexes/films/documents", [{ id: 1, title: "of the sea", year: 1900 }]);
  const args = [`${server.base}/openapi.json`, "--header", `Authorization: Bearer ${key}`];
  args.push("--checks", checks.join(","), "--phases", "coverage,fuzzing", "--exclude-path-regex", LEFT_OUT);
  args.push("--max-examples", `${examples}`, "--seed", `${seed}`, "--request-timeout", "60");
  args.push("--continue-on-failure", "--suppress-health-check", "all");
  const status = await new Promise<number>((resolve, reject) => {
    const run = spawn(tool, ["run", ...args], { stdio: "inherit", cwd: server.directory });
    run.once("error", () =>
      reject(new Error(`\`${tool}\` cannot be run: pip install schemathesis, or set SCHEMATHESIS`)),
    );
    run.once("exit", (code) => resolve(code ?? 1));
  });
  process.exitCode = status;
} finally {
  await server.dispose();
}

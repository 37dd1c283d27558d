// The programs that a cluster on this machine is made of, where they are, and the configuration of a NATS server.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import path from "node:path";

export const TOOLS = {
  "nats-server": { variable: "NATS_SERVER", install: "go install github.com/nats-io/nats-server/v2@latest" },
  versitygw: { variable: "VERSITYGW", install: "go install github.com/versity/versitygw/cmd/versitygw@latest" },
};
const NATS_MIN = 2011;

/** As its variable says, in the path, or where Go puts programs; null when it is nowhere, or too old. */
export function findTool(name) {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), path.join(homedir(), "go", "bin")];
  const candidates = [process.env[TOOLS[name].variable] ?? "", ...folders.map((folder) => path.join(folder, name))];
  return candidates.find((file) => file !== "" && existsSync(file) && (name !== "nats-server" || isNew(file))) ?? null;
}

function isNew(file) {
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8" })) ?? [];
  return Number(major) * 1000 + Number(minor) >= NATS_MIN;
}

/** `own`: its folder, and its ports for clients, monitoring and the others; `routes`: those of all for the others. */
export function natsConfig({ name, folder, port, monitorPort, routePort }, routes) {
  const others = routes.map((route) => `nats://127.0.0.1:${route}`).join(", ");
  return [
    `server_name: ${name}`,
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitorPort}"`,
    "max_payload: 8MB",
    `jetstream { store_dir: "${folder}", sync_interval: always }`,
    `cluster { name: sabre, listen: "127.0.0.1:${routePort}", routes: [${others}] }`,
  ].join("\n");
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

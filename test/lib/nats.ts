/** NATS servers for tests: one, or three that hold copies of the same. Where there is no nats-server, the tests that want one are skipped. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import { HERE, type Machine } from "./machines.ts";
import { until } from "./patience.ts";
import { freePort } from "./server.ts";
import { inBackground, temporaryDirectory } from "./temporary.ts";

const START = { seconds: 60, firstMs: 50 };

/** `NATS_SERVER`, or what is in the path or where Go puts programs; null when there is none that is new enough. */
const natsServer: string | null = findServer();

export const withoutNats: string | false =
  natsServer === null ? "no nats-server 2.11 or newer: go install github.com/nats-io/nats-server/v2@latest" : false;

function findServer(): string | null {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), path.join(homedir(), "go", "bin")];
  const candidates = [process.env["NATS_SERVER"] ?? "", ...folders.map((folder) => path.join(folder, "nats-server"))];
  for (const file of candidates) {
    if (file === "" || !existsSync(file)) continue;
    const [, major, minor] = /v(\d+)\.(\d+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8" })) ?? [];
    if (Number(major) * 1000 + Number(minor) >= 2011) return file;
  }
  return null;
}

interface NatsProcess {
  machine: Machine;
  port: number;
  monitorPort: number;
  config: string;
  child: ChildProcess | null;
}

export class NatsServers {
  readonly #processes: NatsProcess[];

  private constructor(processes: NatsProcess[]) {
    this.#processes = processes;
  }

  /** `sync` and `jetstream`: as in their configuration; `more`: lines of it; `machines`: one for each, unless all are on this one. */
  static async start(
    count: 1 | 3,
    { sync = "always", more = "", jetstream = true, machines = [] as readonly Machine[] } = {},
  ): Promise<NatsServers> {
    const folder = temporaryDirectory();
    const routes = await Promise.all(Array.from({ length: count }, freePort));
    const processes: NatsProcess[] = [];
    for (let i = 0; i < count; i++) {
      const [port, monitorPort] = [await freePort(), await freePort()];
      const own = path.join(folder, `${i}`);
      mkdirSync(own);
      const hosts = routes.map((_, other) => (machines[other] ?? HERE).address);
      const others = routes.map((route, other) => `nats://${hosts[other]}:${route}`).join(", ");
      const cluster = `cluster { name: tests, listen: "${hosts[i]}:${routes[i]}", routes: [${others}] }`;
      const lines = [
        `listen: "${hosts[i]}:${port}"`,
        `http: "${hosts[i]}:${monitorPort}"`,
        `server_name: n${i}`,
        ...(jetstream ? [`jetstream { store_dir: "${own}", sync_interval: ${sync} }`] : []),
        ...(count === 1 ? [] : [cluster]),
        more,
      ];
      const config = path.join(own, "nats.conf");
      writeFileSync(config, lines.join("\n"));
      processes.push({ machine: machines[i] ?? HERE, port, monitorPort, config, child: null });
    }
    const servers = new NatsServers(processes);
    for (let i = 0; i < count; i++) servers.run(i);
    await servers.ready();
    return servers;
  }

  get ports(): number[] {
    return this.#processes.map(({ port }) => port);
  }

  /** Of a cluster of this name, as `--cluster` takes it. */
  address(name: string): string {
    const hosts = this.#processes.map(({ machine, port }) => `${machine.address}:${port}`).join(",");
    return `nats://${hosts}/${name}?monitor=${this.#processes.map(({ monitorPort }) => monitorPort).join(",")}`;
  }

  /** What one that does not run has stored is gone. */
  forget(place: number): void {
    const { config } = this.#processes[place]!;
    rmSync(path.join(path.dirname(config), "jetstream"), { recursive: true });
  }

  run(place: number): void {
    const { config, machine } = this.#processes[place]!;
    const [program, ...args] = [...machine.command, natsServer!, "-c", config];
    // Each takes all processors to be its own, and keeps its threads looking for work on them.
    const GOMAXPROCS = `${Math.max(1, Math.floor(availableParallelism() / this.#processes.length))}`;
    const env = { ...process.env, GOMAXPROCS };
    this.#processes[place]!.child = inBackground(spawn(program!, args, { stdio: "ignore", env }));
  }

  /** Resolves when all that run have everything that JetStream needs. */
  async ready(): Promise<void> {
    for (const { machine, monitorPort, child } of this.#processes) {
      const isWell = (): Promise<boolean> =>
        fetch(`http://${machine.address}:${monitorPort}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        );
      if (child !== null) await until(isWell, () => "nats-server starts", START);
    }
  }

  signal(place: number, signal: NodeJS.Signals): void {
    this.#processes[place]!.child?.kill(signal);
  }

  async kill(place: number): Promise<void> {
    const { child } = this.#processes[place]!;
    this.#processes[place]!.child = null;
    // It may have been ended with all that the test had begun, and does not end twice.
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    await new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.kill("SIGKILL");
    });
  }

  async stop(): Promise<void> {
    for (let i = 0; i < this.#processes.length; i++) await this.kill(i);
  }
}

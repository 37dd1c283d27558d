/** How long the front thread of a server works at a time, whatever else the machine does: see `front-turns.cjs`. Linux only. */
import { fileURLToPath } from "node:url";
import { until } from "./patience.ts";
import { TestServer } from "./server.ts";

const PRELOADED = fileURLToPath(new URL("front-turns.cjs", import.meta.url));
const SAID = /front-turns (\S+)\n/g;

export class FrontTurns {
  readonly server: TestServer;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async start(options: { key?: string; args?: string[] }): Promise<FrontTurns> {
    const env = { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --require ${PRELOADED}` };
    return new FrontTurns(await TestServer.start({ ...options, env }));
  }

  /** The longest turn during `work`, in milliseconds. */
  async longestMs(work: () => Promise<void>): Promise<number> {
    await this.#said();
    await work();
    return Number(await this.#said());
  }

  async #said(): Promise<string> {
    const all = (): string[] => Array.from(this.server.output.matchAll(SAID), ([, said]) => said!);
    const before = all().length;
    process.kill(this.server.pid, "SIGUSR2");
    await until(
      () => all().length > before,
      () => "the front does not say how long it worked",
      { firstMs: 2, mostMs: 10 },
    );
    return all().at(-1)!;
  }
}

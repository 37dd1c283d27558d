/** Three servers of this build on one machine, which meet at three NATS servers, and one on its own to compare them with. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { StreamInfo } from "@nats-io/jetstream";
import { connect, jetstreamManager } from "../../src/storage/journal/nats-clients.ts";
import { NatsServers, withoutNats } from "../../test/lib/nats.ts";
import { ownCommand } from "./own-command.ts";
import { Server } from "./server.ts";

const NAME = "perf";
const POLL_MS = 20;
/** Times that NATS is asked, each of which ends after some seconds. */
const ASKED_MAX = 10;

interface NetworkAnswer {
  self: string;
  leader: string | null;
  remotes: Record<string, unknown>;
}

export class MeasuredCluster {
  readonly nats: NatsServers;
  readonly nodes: Server[];
  readonly #folder: string;

  private constructor(nats: NatsServers, folder: string) {
    this.nats = nats;
    this.#folder = folder;
    this.nodes = ["one", "two", "three"].map((name) => this.server(name));
  }

  static async start(): Promise<MeasuredCluster> {
    if (withoutNats !== false) throw new Error(withoutNats);
    const nats = await NatsServers.start(3, { more: "max_payload: 8MB" });
    const cluster = new MeasuredCluster(nats, mkdtempSync(path.join(os.tmpdir(), "perf-blobs-")));
    for (const node of cluster.nodes) await node.start();
    return cluster;
  }

  /** Another one of them, not started. */
  server(name: string): Server {
    const where = `--cluster '${this.nats.address(NAME)}' --cluster-blobs file:${this.#folder} --cluster-node ${name}`;
    return new Server(name, `${ownCommand()} --readers 1 ${where}`);
  }

  /** Once all know each other and one leads; who leads is first. */
  async inOrder(): Promise<[Server, Server, Server]> {
    for (;;) {
      const answers = await Promise.all(this.nodes.map((node) => networkOf(node)));
      const leader = answers[0]?.leader ?? null;
      const agree = answers.every(
        (answer) => answer?.leader === leader && Object.keys(answer?.remotes ?? {}).length === this.nodes.length - 1,
      );
      const at = this.nodes.findIndex(({ name }) => name === leader);
      if (agree && at >= 0)
        return [this.nodes[at]!, ...this.nodes.filter((_, i) => i !== at)] as [Server, Server, Server];
      await new Promise((resume) => setTimeout(resume, POLL_MS));
    }
  }

  /** Which of the NATS servers leads the stream of records. */
  async natsLeader(): Promise<number> {
    return Number((await this.#stream()).cluster?.leader?.slice(1));
  }

  /** How many records there were, and how many bytes are kept of them. */
  async records(): Promise<{ count: number; bytes: number }> {
    const { state } = await this.#stream();
    return { count: state.last_seq, bytes: state.bytes };
  }

  /** A machine that does too much at once may keep NATS from answering for a while. */
  async #stream(): Promise<StreamInfo> {
    for (let left = ASKED_MAX; ; left--) {
      try {
        return await this.#streamNow();
      } catch (problem) {
        if (left === 1) throw problem;
      }
    }
  }

  async #streamNow(): Promise<StreamInfo> {
    const connection = await connect({ servers: this.nats.ports.map((port) => `127.0.0.1:${port}`) });
    try {
      const manager = await jetstreamManager(connection);
      return await manager.streams.info(`sabre_${NAME}_journal`);
    } finally {
      await connection.close();
    }
  }

  async dispose(): Promise<void> {
    for (const node of this.nodes) await node.dispose();
    await this.nats.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function networkOf(server: Server): Promise<NetworkAnswer | null> {
  const client = server.client();
  try {
    return await client.json<NetworkAnswer>("GET", "/network");
  } catch {
    return null;
  } finally {
    client.close();
  }
}

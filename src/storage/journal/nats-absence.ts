/**
 * Whether a place of the board is gone: the machine of the NATS server that has it refuses to be connected to, or that server says itself
 * that it does not have it, as it does while it starts. Then nobody leaves or sees notes there, and it is empty when it is back. One
 * that does not answer at all may be there for others.
 */
import { connect } from "node:net";
import type { JetStreamManager } from "./nats-clients.ts";
import type { NatsPlace } from "./nats-place.ts";

const CONNECT_MS_MAX = 500;
const GREETING = /^INFO (\{.*\}) *\r\n/;
const NO_RESPONDERS = /^HMSG .*\r\nNATS\/1\.0 503\b/m;
const END = /^PONG\r\n/m;

interface Greeting {
  server_name?: string;
}

interface Reached {
  isGone: boolean;
  /** Of the server, where it has said it. */
  name: string | null;
}

export class NatsAbsence {
  readonly #place: NatsPlace;
  readonly #manager: JetStreamManager;
  /** Addresses of servers, by their names. */
  readonly #addresses = new Map<string, string>();
  /** The address of the server that has a place. */
  readonly #places = new Map<string, string>();
  /** Of which this was asked since they were made, or is being asked. */
  readonly #learned = new Set<string>();

  constructor(place: NatsPlace, manager: JetStreamManager) {
    this.#place = place;
    this.#manager = manager;
  }

  /** The place of this stream was seen: it can be learned which server has it. */
  seen(stream: string, isNew: boolean): void {
    // NATS has the same server keep it, unless it was made anew.
    if (isNew) this.#learned.delete(stream);
    if (this.#learned.has(stream)) return;
    this.#learned.add(stream);
    // Whoever cannot tell now is asked when it is seen the next time.
    this.#learn(stream).catch(() => this.#learned.delete(stream));
  }

  /** False also where nobody knows. */
  async isGone(stream: string): Promise<boolean> {
    const address = this.#places.get(stream);
    return address !== undefined && (await this.#reach(address, stream)).isGone;
  }

  async #learn(stream: string): Promise<void> {
    const { cluster } = await this.#manager.streams.info(stream);
    const { servers } = this.#place;
    // A server on its own need not say who it is.
    const only = servers.length === 1 ? servers[0] : undefined;
    const name = cluster?.leader ?? "";
    if (only === undefined && !this.#addresses.has(name)) await this.#greetAll(stream);
    const address = only ?? this.#addresses.get(name);
    if (address === undefined) throw new Error(`nobody knows where the server ${name} is`);
    this.#places.set(stream, address);
  }

  async #greetAll(stream: string): Promise<void> {
    for (const address of this.#place.servers) {
      const { name } = await this.#reach(address, stream);
      if (name !== null) this.#addresses.set(name, address);
    }
  }

  /** Over a connection of its own, since one to another server cannot tell. */
  #reach(address: string, stream: string): Promise<Reached> {
    const colon = address.lastIndexOf(":");
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
    return new Promise((resolve) => {
      let name: string | null = null;
      const settle = (isGone: boolean): void => {
        socket.destroy();
        resolve({ isGone, name });
      };
      socket.setTimeout(CONNECT_MS_MAX, () => settle(false));
      socket.on("error", (problem) => settle(isRefusal(problem)));
      socket.on("close", () => settle(false));
      let said = "";
      socket.on("data", (bytes) => {
        said += bytes;
        const greeting = GREETING.exec(said);
        if (greeting === null) return;
        if (name === null) {
          name = (JSON.parse(greeting[1]!) as Greeting).server_name ?? "";
          // Whom to trust is known to the client only.
          if (this.#place.tls) settle(false);
          else socket.write(this.#question(stream));
        } else if (NO_RESPONDERS.test(said)) settle(true);
        else if (END.test(said)) settle(false);
      });
    });
  }

  /** For a note, whichever: a server that does not have the place answers that nobody does. */
  #question(stream: string): string {
    const { user, password } = this.#place;
    const options = { verbose: false, headers: true, no_responders: true, user, pass: password };
    const lines = [
      `CONNECT ${JSON.stringify(options)}`,
      `SUB _INBOX.${stream} 1`,
      `PUB $JS.API.DIRECT.GET.${stream} _INBOX.${stream} 2`,
      "{}",
      "PING",
      "",
    ];
    return lines.join("\r\n");
  }
}

/** Where a name has several addresses, all of them have to refuse. */
function isRefusal(problem: Error & { code?: string; errors?: { code?: string }[] }): boolean {
  const problems = problem.errors ?? [problem];
  return problems.length > 0 && problems.every(({ code }) => code === "ECONNREFUSED");
}

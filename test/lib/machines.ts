/**
 * Several machines, as the network sees them: namespaces of Linux on one bridge, each with an address, between which the way can be
 * cut in either direction. Wants root and `ip`; where there is neither, tests that want them are skipped.
 */
import { execFileSync } from "node:child_process";

/** Where a program runs: the address at which it listens, and the command that starts it there. */
export interface Machine {
  address: string;
  command: readonly string[];
}

export const HERE: Machine = { address: "127.0.0.1", command: [] };

export const withoutMachines: string | false = canDivide()
  ? false
  : "no network namespaces: that takes Linux, root and ip";

function ip(...args: string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}

function canDivide(): boolean {
  const name = `sabre-probe-${process.pid}`;
  try {
    ip("netns", "add", name);
    ip("netns", "del", name);
    return true;
  } catch {
    return false;
  }
}

export class Machines {
  readonly list: readonly Machine[];
  readonly #names: readonly string[];
  readonly #bridge: string;
  readonly #cuts: [from: number, to: number][] = [];

  constructor(count: number) {
    this.#bridge = `sb${process.pid}`;
    this.#names = Array.from({ length: count }, (_, i) => `sabre-${process.pid}-${i}`);
    // A network of its own for each process that has one.
    const network = `10.${200 + (process.pid & 31)}.${(process.pid >> 5) & 255}`;
    this.list = this.#names.map((name, i) => ({
      address: `${network}.${10 + i}`,
      command: ["ip", "netns", "exec", name],
    }));
    ip("link", "add", this.#bridge, "type", "bridge");
    ip("addr", "add", `${network}.1/24`, "dev", this.#bridge);
    ip("link", "set", this.#bridge, "up");
    for (const [i, name] of this.#names.entries()) this.#plug(name, i);
  }

  /** What the one sends does not get to the other. */
  cut(from: number, to: number): void {
    ip("-n", this.#names[from]!, "route", "add", "blackhole", `${this.list[to]!.address}/32`);
    this.#cuts.push([from, to]);
  }

  mend(): void {
    for (const [from, to] of this.#cuts.splice(0)) {
      ip("-n", this.#names[from]!, "route", "del", "blackhole", `${this.list[to]!.address}/32`);
    }
  }

  remove(): void {
    // A namespace goes later, when nothing of it is in use; its plug, now.
    for (const [i] of this.#names.entries()) ip("link", "del", this.#plugOf(i));
    for (const name of this.#names) ip("netns", "del", name);
    ip("link", "del", this.#bridge);
  }

  #plugOf(i: number): string {
    return `${this.#bridge}p${i}`;
  }

  #plug(name: string, i: number): void {
    const plug = this.#plugOf(i);
    ip("netns", "add", name);
    ip("link", "add", plug, "type", "veth", "peer", "name", "net", "netns", name);
    ip("link", "set", plug, "master", this.#bridge, "up");
    ip("-n", name, "link", "set", "lo", "up");
    ip("-n", name, "addr", "add", `${this.list[i]!.address}/24`, "dev", "net");
    ip("-n", name, "link", "set", "net", "up");
  }
}

/**
 * Which addresses the server may call on behalf of a user: public ones always, those of the machine and of private
 * networks only when they were allowed at start. Otherwise whoever may set a url could reach what only the server can.
 */
import { BlockList, isIP, isIPv6 } from "node:net";

/** IPv4 addresses that are not of the public internet. */
const CLOSED_V4: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Of IPv6 only `2000::/3` is public, and not all of that. */
const CLOSED_V6: readonly string[] = ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "3fff::/20"];

/** IPv6 prefixes with an IPv4 address inside, which is the one that is reached, and where it begins. */
const WRAPPED: readonly { network: string; prefix: number; group: number }[] = [
  { network: "::ffff:0:0", prefix: 96, group: 6 },
  // Out of use, and yet some systems still reach the IPv4 address.
  { network: "::", prefix: 96, group: 6 },
  { network: "::ffff:0:0:0", prefix: 96, group: 6 },
  { network: "64:ff9b::", prefix: 96, group: 6 },
  { network: "2002::", prefix: 16, group: 1 },
];

/** A refusal, in words for the user. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

export class AddressPolicy {
  readonly #allowsAll: boolean;
  readonly #allowed: BlockList;

  /** `allowed`: networks such as `10.1.0.0/16`, single addresses, or `any`. Throws for anything else. */
  constructor(allowed: readonly string[]) {
    this.#allowsAll = allowed.includes("any");
    this.#allowed = listOf(allowed.filter((network) => network !== "any"));
  }

  allows(address: string): boolean {
    if (this.#allowsAll) return true;
    const plain = address.replace(/%.*$/, "");
    if (isIP(plain) === 0) return false;
    const reached = unwrapped(plain);
    return !has(closed()[familyOf(reached)], reached) || has(this.#allowed, reached) || has(this.#allowed, plain);
  }

  /** Throws `AddressRefused`. */
  check(address: string): void {
    if (this.allows(address)) return;
    throw new AddressRefused(
      `the address ${address} is not public; allow it with --experimental-allowed-ip-networks if it is meant`,
    );
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split("/");
    const family = familyOf(address!);
    const bitsMax = family === "ipv6" ? 128 : 32;
    const bits = prefix === undefined ? bitsMax : /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (isIP(address!) === 0 || !(bits <= bitsMax)) {
      throw new Error(`\`${network}\` is no network; write one such as \`10.0.0.0/8\`, or \`any\``);
    }
    list.addSubnet(address!, bits, family);
  }
  return list;
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

// Lists are made for the first address that is asked about: the engine takes milliseconds to learn what an address looks like,
// and most servers call nobody.

let closedLists: { ipv4: BlockList; ipv6: BlockList } | null = null;

/** One list for each: a list that has networks of both matches `::/3` with every address of IPv4. */
function closed(): { ipv4: BlockList; ipv6: BlockList } {
  closedLists ??= { ipv4: listOf(CLOSED_V4), ipv6: listOf(CLOSED_V6) };
  return closedLists;
}

let wrappedLists: { list: BlockList; group: number }[] | null = null;

function wrapped(): { list: BlockList; group: number }[] {
  wrappedLists ??= WRAPPED.map(({ network, prefix, group }) => {
    const list = new BlockList();
    list.addSubnet(network, prefix, "ipv6");
    return { list, group };
  });
  return wrappedLists;
}

/** The IPv4 address that an IPv6 one stands for, if it does. */
function unwrapped(address: string): string {
  if (!isIPv6(address)) return address;
  const found = wrapped().find(({ list }) => list.check(address, "ipv6"));
  if (found === undefined) return address;
  const groups = groupsOf(address);
  const high = groups[found.group]!;
  const low = groups[found.group + 1]!;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text =
    dotted === null
      ? address
      : `${dotted[1]}${hexPair(Number(dotted[2]), Number(dotted[3]))}:${hexPair(Number(dotted[4]), Number(dotted[5]))}`;
  const [head, tail] = text.split("::");
  const left = head === "" ? [] : head!.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill("0"), ...right].map((group) => Number.parseInt(group, 16));
}

function hexPair(high: number, low: number): string {
  return ((high << 8) | low).toString(16);
}

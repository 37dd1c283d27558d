/** Several real servers that know each other by name, and data for them. */
import assert from "node:assert/strict";
import { TestServer } from "./server.ts";

export const LOOPBACK = ["--experimental-allowed-ip-networks", "127.0.0.0/8,::1"];

export async function startServer(env: Record<string, string> = {}): Promise<TestServer> {
  const server = await TestServer.start({ args: LOOPBACK, env });
  const answer = await server.request("PATCH", "/experimental-features", { network: true });
  assert.equal(answer.status, 200);
  return server;
}

/** Tells `server` its own name, and those of others with their addresses. */
export async function introduce(
  server: TestServer,
  self: string | null,
  others: Record<string, string>,
): Promise<void> {
  const remotes = Object.fromEntries(Object.entries(others).map(([name, url]) => [name, { url }]));
  const answer = await server.request("PATCH", "/network", { self, remotes });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

const WORDS = [
  "heron",
  "grey",
  "northern",
  "river",
  "stone",
  "oak",
  "old",
  "garden",
  "wild",
  "small",
  "heronry",
  "rivers",
];
const COLOURS = ["red", "Green", "blue", "brown", "10", "9"];

interface Thing {
  id: number;
  name: string;
  text: string;
  size: number | null;
  colour: string;
  tags: string[];
  group: string;
  _geo: { lat: number; lng: number };
}

/** The same ones for the same seed. */
export function things(seed: number, count: number): Thing[] {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const words = (length: number): string => Array.from({ length }, () => WORDS[next(WORDS.length)]).join(" ");
  return Array.from({ length: count }, (_, i) => ({
    id: seed * 10_000 + i,
    name: words(1 + next(3)),
    text: words(6),
    size: next(5) === 0 ? null : next(50) / 2,
    colour: COLOURS[next(COLOURS.length)]!,
    tags: [COLOURS[next(COLOURS.length)]!, WORDS[next(WORDS.length)]!],
    group: `group ${next(15)}`,
    _geo: { lat: next(80), lng: next(170) },
  }));
}

const SETTINGS = {
  filterableAttributes: ["size", "colour", "tags", "group"],
  sortableAttributes: ["size", "name", "_geo"],
  // Other servers on a busy machine may take longer than a search may by default.
  searchCutoffMs: 100_000,
};

export async function fill(server: TestServer, uid: string, documents: readonly Thing[], settings = {}): Promise<void> {
  const set = await server.write("PATCH", `/indexes/${uid}/settings`, { ...SETTINGS, ...settings });
  assert.equal(set.status, "succeeded");
  const added = await server.write("POST", `/indexes/${uid}/documents?primaryKey=id`, documents);
  assert.equal(added.status, "succeeded");
}

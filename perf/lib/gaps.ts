/**
 * Clients that ask again and again while something is killed: the longest time in which no server took a write, since any may be
 * asked, and the longest in which one of them, whichever, answered no search.
 */
import type { Server } from "./server.ts";

interface Gap {
  longestMs: number;
  refused: number;
}

/** How long to go on before and after. */
const BEFORE_MS = 2000;
const AFTER_MS = 12_000;
const PAUSE_MS = 2;

/** Writes and searches on these servers, each on one connection, while `harm` is done to something else. */
export async function gapsWhile(
  servers: readonly Server[],
  harm: () => Promise<void>,
): Promise<Record<"writes" | "reads", Gap>> {
  let isOver = false;
  let id = 0;
  const ask = async (
    servers: readonly Server[],
    statusWanted: number,
    request: (server: Server) => [string, string],
  ): Promise<Gap> => {
    const gap: Gap = { longestMs: 0, refused: 0 };
    let last = performance.now();
    const one = async (server: Server): Promise<void> => {
      const client = server.client();
      while (!isOver) {
        const [path, body] = request(server);
        const status = await client.request("POST", path, body).then(
          (answer) => answer.status,
          () => 0,
        );
        const now = performance.now();
        if (status === statusWanted) {
          gap.longestMs = Math.max(gap.longestMs, now - last);
          last = now;
        } else gap.refused++;
        await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      }
      client.close();
    };
    await Promise.all(servers.map(one));
    return gap;
  };
  const writes = ask(servers, 202, () => [
    "/indexes/gaps/documents",
    JSON.stringify([{ id: id++, text: "while it lasts" }]),
  ]);
  const search = (): [string, string] => ["/indexes/gaps/search", JSON.stringify({ q: "while" })];
  const reads = Promise.all(servers.map((server) => ask([server], 200, search)));
  const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));
  await pause(BEFORE_MS);
  await harm();
  await pause(AFTER_MS);
  isOver = true;
  const searches = await reads;
  const longestMs = Math.max(...searches.map((gap) => gap.longestMs));
  const refused = searches.reduce((sum, gap) => sum + gap.refused, 0);
  return { writes: await writes, reads: { longestMs, refused } };
}

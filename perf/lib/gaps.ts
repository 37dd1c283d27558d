/** Clients that ask again and again while something is killed: the longest time in which none was answered well. */
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
  const ask = async (statusWanted: number, request: (server: Server) => [string, string]): Promise<Gap> => {
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
  const writes = ask(202, () => ["/indexes/gaps/documents", JSON.stringify([{ id: id++, text: "while it lasts" }])]);
  const reads = ask(200, () => ["/indexes/gaps/search", JSON.stringify({ q: "while" })]);
  const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));
  await pause(BEFORE_MS);
  await harm();
  await pause(AFTER_MS);
  isOver = true;
  return { writes: await writes, reads: await reads };
}

/** Keeps the tasks of an index waiting: what is embedded with it is not done before it is let go. */
import http from "node:http";
import type { AddressInfo } from "node:net";

/** An embedder that answers nobody until it is let go. */
export async function heldEmbedder(): Promise<{ settings: object; letGo(): void; close(): void }> {
  let isHeld = true;
  const held: (() => void)[] = [];
  const server = http.createServer((request, response) => {
    const answer = (): void => void response.end(JSON.stringify({ vector: [1, 2, 3] }));
    request.resume().on("end", () => (isHeld ? held.push(answer) : answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { source: "rest", url, dimensions: 3, request: "{{text}}", response: { vector: "{{embedding}}" } },
    letGo() {
      isHeld = false;
      for (const answer of held) answer();
    },
    close: () => server.close().closeAllConnections(),
  };
}

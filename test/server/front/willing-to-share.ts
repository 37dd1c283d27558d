/** A process that listens on a port it would share with others, and tells which. */
import { createServer } from "node:net";
import { loadUws } from "../../../src/server/front/transport/uws-module.ts";

function listening(port: number): void {
  process.stdout.write(String(port));
}

try {
  const uws = await loadUws();
  uws.App().listen("127.0.0.1", 0, 0, (socket) => listening(uws.us_socket_local_port(socket as object)));
} catch {
  // Versions of Node that know no such option are served by the library.
  const server = createServer();
  server.listen({ host: "127.0.0.1", port: 0, reusePort: true } as object, () => {
    listening((server.address() as { port: number }).port);
  });
}

/** Connections to other servers through a proxy that passes bytes on without reading them (`CONNECT`), for `https`. */
import type http from "node:http";
import type https from "node:https";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { authorities } from "./authorities.ts";
import { builtIn } from "./built-in.ts";
import type { ProxyServer } from "./proxies.ts";

/** A proxy that takes longer to reach a server counts as one that cannot. */
const CONNECT_MS_MAX = 30_000;

/** What an agent tells of a connection it needs. */
interface Wanted {
  host: string;
  port: number;
  servername?: string;
  secureContext?: SecureContext;
}

type Connected = (problem: Error | null, socket?: Socket) => void;

export function tunnelAgent(proxy: ProxyServer): https.Agent {
  const secureContext = authorities();
  const agent = new (builtIn("node:https").Agent)({ keepAlive: true, ...(secureContext && { secureContext }) });
  const connecting = new Set<http.ClientRequest>();
  const createConnection = (wanted: Wanted, connected: Connected): void => {
    const request = connect(proxy, wanted, connected);
    connecting.add(request);
    request.once("close", () => connecting.delete(request));
  };
  const closeConnected = agent.destroy.bind(agent);
  const destroy = (): void => {
    for (const request of connecting) request.destroy();
    closeConnected();
  };
  return Object.assign(agent, { createConnection, destroy });
}

function connect({ url, authorization }: ProxyServer, wanted: Wanted, connected: Connected): http.ClientRequest {
  const host = wanted.host.includes(":") ? `[${wanted.host}]` : wanted.host;
  const target = `${host}:${wanted.port}`;
  const request = builtIn(url.protocol === "https:" ? "node:https" : "node:http").request(url, {
    method: "CONNECT",
    path: target,
    headers: { host: target, ...(authorization === null ? {} : { "proxy-authorization": authorization }) },
    timeout: CONNECT_MS_MAX,
    agent: false,
  });
  request.once("connect", ({ statusCode }, socket) => {
    if (statusCode === 200) {
      const { servername, secureContext } = wanted;
      connected(null, builtIn("node:tls").connect({ socket, servername, secureContext }));
      return;
    }
    socket.destroy();
    connected(new Error(`the proxy answered with status ${statusCode}`));
  });
  request.once("timeout", () => request.destroy(new Error("the proxy did not answer in time")));
  request.once("error", (problem) => connected(new Error(`the proxy could not be used: ${problem.message}`)));
  request.end();
  return request;
}

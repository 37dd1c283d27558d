/**
 * Loads the HTTP library: the build that fits this Node. Its compiled parts are chosen by Node's module version; the
 * main package knows Node 20 and 22, the optional one also newer ones (on systems with a recent glibc).
 */
import type * as Uws from "uWebSockets.js";

export type { AppOptions, HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js";
export type UwsModule = Pick<typeof Uws, "App" | "SSLApp" | "us_listen_socket_close" | "us_socket_local_port"> & {
  _cfg(option: string): void;
  LIBUS_LISTEN_EXCLUSIVE_PORT: number;
};

/** The library takes host, port and options together, which its own declarations leave out. */
export interface ExclusiveListener {
  listen(host: string, port: number, options: number, done: (socket: Uws.us_listen_socket | false) => void): unknown;
}

/** Request line and headers together; the library's own 4 KiB is less than a long GET search needs. */
const HEADER_BYTES_MAX = 64 * 1024;

export async function loadUws(): Promise<UwsModule> {
  // Read by the library at the moment it is loaded, hence no static import.
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(HEADER_BYTES_MAX);
  const packages = ["uWebSockets.js", "uWebSockets24.js"];
  const problems: string[] = [];
  for (const name of packages) {
    try {
      const uws = (await import(name)) as UwsModule;
      uws._cfg("silent");
      return uws;
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(`No build of uWebSockets.js fits Node ${process.version} here: ${problems.join("; ")}`);
}

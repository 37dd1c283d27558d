/**
 * Loads the HTTP library: the build that fits this Node. Its compiled parts are chosen by Node's module version; the
 * main package knows Node 20 and 22, the optional one also newer ones (on systems with a recent glibc).
 */
import { HEAD_BYTES_MAX } from "./transport.ts";
import type { UwsModule } from "./uws-types.ts";

export async function loadUws(): Promise<UwsModule> {
  // Read by the library at the moment it is loaded, hence no static import; its own 4 KiB is less than a long GET search
  // needs.
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(HEAD_BYTES_MAX);
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

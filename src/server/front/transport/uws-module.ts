/**
 * Loads the HTTP library uWebSockets.js. It is one compiled binary for each module version of Node, so there is none for a
 * Node, a system or a C library that it was not made for.
 */
import { loadAddon } from "../../../base/native/load.ts";
import { HEAD_BYTES_MAX } from "./transport.ts";
import type { UwsModule } from "./uws-types.ts";

/** Rejects with one sentence that names the binary and says why there is none. */
export async function loadUws(): Promise<UwsModule> {
  // Read by the library at the moment it is loaded; its own 4 KiB is less than a long GET search needs.
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(HEAD_BYTES_MAX);
  const uws = loadAddon("uws") as UwsModule;
  uws._cfg("silent");
  return uws;
}

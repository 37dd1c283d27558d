/** TLS of the transport on Node's own server: the files it needs, and who may come in. */
import { readFileSync } from "node:fs";
import { createSecureContext, type TLSSocket, type TlsOptions } from "node:tls";
import { IDLE_MS_MAX, type TlsFiles, tlsProblem } from "./transport.ts";

/** Throws when the files are of no use. */
export function readTls(tls: TlsFiles): TlsOptions {
  const { cert, key, authorities } = tls;
  try {
    const ca = authorities === null ? {} : { ca: readFileSync(authorities) };
    const files = { cert: readFileSync(cert), key: readFileSync(key), ...ca };
    createSecureContext(files);
    // Whoever shows no certificate is let in; what is shown must be in order, see `isStranger`.
    const asked = authorities === null ? {} : { requestCert: true, rejectUnauthorized: false };
    return { ...files, ...asked, handshakeTimeout: IDLE_MS_MAX };
  } catch {
    throw tlsProblem(tls);
  }
}

/** Shows a certificate that none of the known authorities vouches for. */
export function isStranger(socket: TLSSocket): boolean {
  return !socket.authorized && socket.getPeerX509Certificate?.() !== undefined;
}

/** The part of uWebSockets.js that is used here, declared by ourselves: its binaries may come without declarations. */

/** Opaque. */
export type ListenSocket = object;

export interface UwsRequest {
  /** Empty when absent. */
  getHeader(lowerCaseName: string): string;
  forEach(visit: (name: string, value: string) => void): void;
  getMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
}

/** Not to be used any more once it is ended or aborted. */
export interface UwsResponse {
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  /** False when the socket took less than everything. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): void;
  /** Whether all of the chunk was taken, and whether that was the last of the answer. */
  tryEnd(chunk: Uint8Array, totalBytes: number): [boolean, boolean];
  /** How much of the body has been taken so far. */
  getWriteOffset(): number;
  onWritable(resume: (offset: number) => boolean): void;
  onAborted(gone: () => void): void;
  /** The memory of the chunk is taken back after the call. */
  onData(receive: (chunk: ArrayBuffer, isLast: boolean) => void): void;
  cork(write: () => void): void;
  /** At once, with the connection. */
  close(): void;
}

export interface UwsApp {
  any(pattern: string, handle: (res: UwsResponse, req: UwsRequest) => void): void;
  listen(host: string, port: number, options: number, done: (socket: ListenSocket | false) => void): void;
  close(): void;
}

interface UwsTls {
  cert_file_name: string;
  key_file_name: string;
  ca_file_name?: string;
}

export interface UwsModule {
  App(): UwsApp;
  SSLApp(tls: UwsTls): UwsApp;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
  _cfg(option: string): void;
  LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

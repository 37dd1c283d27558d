/**
 * What the front needs of whatever speaks HTTP for it: requests come in as exchanges, answers go out through them. Names
 * no library; there are two implementations, which look the same from here and, but for a few headers, on the wire.
 */

/** Request line and headers together. */
export const HEAD_BYTES_MAX = 64 * 1024;
/** Idle time after which a connection is closed, unless an answer is being worked out for it. */
export const IDLE_MS_MAX = 10_000;
/** Bodies above this are handed over piece by piece as the socket drains, instead of being copied whole. */
export const WHOLE_BYTES_MAX = 256 * 1024;

/** Counts what the sockets do not take of longer ones: an answer of which so many bytes are still to be handed over, until it is let go. */
export interface UnreadAnswers {
  hold(answer: { cut(): void }, bytes: number): void;
  release(answer: { cut(): void }): void;
}

/**
 * Whether a body comes in another way than in plain chunks. Nobody does that; of two servers one may take it for chunks and the
 * other not, and what is in the body for the next client's request. The value of the header, null where there is none.
 */
export function isOddTransfer(encoding: string | null): boolean {
  return encoding !== null && encoding.trim().toLowerCase() !== "chunked";
}

/** Names and values in turn, as they go over the wire. */
export type HeaderFields = readonly string[];

/** One request and its answer: either `send`, or `begin`, any number of `write`, and `end`. */
export interface Exchange {
  /** In upper case. */
  readonly method: string;
  /** As it came, percent-encoded and without the query. */
  readonly path: string;
  /** As it came, without the question mark. */
  readonly query: string;
  /** By its name in lower case; empty when absent. Can be read only until the exchange's first turn is over. */
  header(name: string): string;
  /** The same for rules that tell an absent header from an empty one. */
  optionalHeader(name: string): string | null;
  /** The same for one that may come several times: their values, joined by commas. */
  joinedHeader(name: string): string;
  /** The client went away before it had its whole answer, and nothing may be sent any more. To be set in the first turn. */
  onAbort(gone: () => void): void;
  /** A chunk is only lent for the length of the call. To be set in the first turn; without it the body is passed over. */
  onBody(receive: (chunk: Uint8Array, isLast: boolean) => void): void;
  /** A body that is not above `WHOLE_BYTES_MAX` is only lent for the length of the call. */
  send(
    status: number,
    headers: HeaderFields,
    body: Uint8Array | string | null,
    close: boolean,
    unread: UnreadAnswers | null,
  ): void;
  /** An answer without a known end; `drained` is called when there is room again after a `write` that said no. */
  begin(status: number, headers: HeaderFields, drained: () => void): void;
  write(chunk: Uint8Array | string): boolean;
  end(): void;
}

export interface Transport {
  /** The library that speaks. */
  readonly name: string;
  /** Exclusively. The port in use (of interest when 0 was asked for), or null when the address cannot be had. */
  listen(address: string, port: number): Promise<number | null>;
  /** Accepts no more connections; those there are stay. */
  stopListening(): void;
  /** Closes every connection, as soon as what was sent has left, at the latest after this time. */
  close(withinMs: number): Promise<void>;
}

/** Files in PEM. Certificates of clients are asked for, and checked, where there are authorities to check them by. */
export interface TlsFiles {
  cert: string;
  key: string;
  authorities: string | null;
}

export function tlsProblem({ cert, key }: TlsFiles): Error {
  return new Error(`TLS cannot start with certificate \`${cert}\` and key \`${key}\``);
}

/** Throws when the files are of no use. */
export type OpenTransport = (tls: TlsFiles | null, accept: (exchange: Exchange) => void) => Transport;

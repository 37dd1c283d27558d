/**
 * Cuts lines of documents into request bodies, each gzipped and, before that, at most of a given size; a document that
 * is larger by itself has a body of its own. Holds one compressed body at a time.
 */
import { createGzip, type Gzip } from "node:zlib";

const NEWLINE = 0x0a;

export class DocumentBodies {
  readonly #bytesMax: number;
  readonly #send: (body: Uint8Array) => Promise<void>;
  #body: GzippedBody | null = null;
  #used = 0;
  /** Documents taken in so far. */
  documents = 0;

  constructor(bytesMax: number, send: (body: Uint8Array) => Promise<void>) {
    this.#bytesMax = bytesMax;
    this.#send = send;
  }

  /** Whole lines; a stored document has no line break inside. */
  async add(lines: Uint8Array): Promise<void> {
    let at = 0;
    while (at < lines.length) {
      const cut = this.#cut(lines, at);
      if (cut === at) {
        await this.finish();
        continue;
      }
      this.#body ??= new GzippedBody();
      await this.#body.write(lines.subarray(at, cut));
      this.#used += cut - at;
      for (let next = at; next < cut; next = lines.indexOf(NEWLINE, next) + 1) this.documents++;
      at = cut;
    }
  }

  /** Sends what has been gathered. */
  async finish(): Promise<void> {
    const body = this.#body;
    if (body === null) return;
    this.#body = null;
    this.#used = 0;
    await this.#send(await body.finish());
  }

  /** Where the lines that still fit end; `at` when there is no room for one. */
  #cut(lines: Uint8Array, at: number): number {
    const room = this.#bytesMax - this.#used;
    if (lines.length - at <= room) return lines.length;
    const last = room <= 0 ? at : lines.subarray(at, at + room).lastIndexOf(NEWLINE) + 1 + at;
    if (last > at || this.#used > 0) return last;
    return lines.indexOf(NEWLINE, at) + 1;
  }
}

class GzippedBody {
  readonly #gzip: Gzip = createGzip();
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<void>;

  constructor() {
    this.#gzip.on("data", (chunk: Buffer) => this.#chunks.push(chunk));
    this.#ended = new Promise((resolve, reject) => {
      this.#gzip.on("end", resolve);
      this.#gzip.on("error", reject);
    });
  }

  /** The bytes may be reused once this resolves. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#gzip.write(bytes, (problem) => (problem ? reject(problem) : resolve()));
    });
  }

  async finish(): Promise<Uint8Array> {
    this.#gzip.end();
    await this.#ended;
    return Buffer.concat(this.#chunks);
  }
}

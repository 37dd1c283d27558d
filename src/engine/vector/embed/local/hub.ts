/**
 * The hub that models come from: which files a model has, with their checksums, and their bytes. Sends nothing but names of
 * models, and follows the hub to where it keeps large files.
 */
import { isObject } from "../../../../base/json/value.ts";
import type { OpenAnswer, Outgoing } from "../../../../base/net/outgoing.ts";

export const DEFAULT_HUB = "https://huggingface.co";

export interface HubFile {
  name: string;
  bytes: number;
  /** Of the bytes; small files have that of git, which hashes the length with them. */
  checksum: { kind: "sha256" | "git"; digest: string };
}

/** A model at one moment of its history. */
export interface HubModel {
  commit: string;
  files: HubFile[];
}

const REDIRECTS_MAX = 5;
/** For all of one file. */
const FILE_MS_MAX = 3_600_000;
/** A connection over which nothing comes for this long is given up. */
const STALLED_MS = 60_000;
const LISTING_BYTES_MAX = 16 << 20;

export class ModelHub {
  readonly url: string;
  readonly #origin: string;
  readonly #operators: Pick<Outgoing, "open">;
  readonly #others: Pick<Outgoing, "open">;

  /** `url` is the operator's, and may be anywhere; `others` calls what the hub leads to. */
  constructor(url: string, operators: Pick<Outgoing, "open">, others: Pick<Outgoing, "open">) {
    this.url = url.replace(/\/+$/, "");
    this.#origin = new URL(url).origin;
    this.#operators = operators;
    this.#others = others;
  }

  async model(name: string, revision: string): Promise<HubModel> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of this.#bytes(`/api/models/${name}/revision/${encodeURIComponent(revision)}?blobs=true`)) {
      bytes += piece.length;
      if (bytes > LISTING_BYTES_MAX) throw new Error("the list of its files is too long");
      pieces.push(piece);
    }
    return readModel(JSON.parse(Buffer.concat(pieces).toString()));
  }

  file(model: string, commit: string, name: string): AsyncIterable<Uint8Array> {
    return this.#bytes(`/${model}/resolve/${commit}/${name}`);
  }

  async *#bytes(path: string): AsyncGenerator<Uint8Array> {
    const stalled = new AbortController();
    const giveUp = () => stalled.abort(new Error(`nothing came for ${STALLED_MS / 1000} s`));
    let timer = setTimeout(giveUp, STALLED_MS);
    try {
      for await (const piece of (await this.#open(`${this.url}${path}`, stalled.signal)).body) {
        yield piece;
        clearTimeout(timer);
        timer = setTimeout(giveUp, STALLED_MS);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(start: string, signal: AbortSignal): Promise<OpenAnswer> {
    let target = new URL(start);
    for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
      const outgoing = target.origin === this.#origin ? this.#operators : this.#others;
      const answer = await outgoing.open({ method: "GET", url: target.href, timeoutMs: FILE_MS_MAX, signal });
      if (answer.status === 200) return answer;
      // What comes with it is of no use.
      for await (const _ of answer.body) break;
      if (answer.status < 300 || answer.status >= 400 || answer.location === undefined) {
        throw new Error(`${target.origin}${target.pathname} answers with status ${answer.status}`);
      }
      const next = new URL(answer.location, target);
      if (target.protocol === "https:" && next.protocol !== "https:") throw new Error("it leads to an open connection");
      target = next;
    }
    throw new Error(`${start} leads from one address to the next`);
  }
}

/** What the hub says of a model, as far as it makes sense. */
function readModel(said: unknown): HubModel {
  const commit = isObject(said) ? said["sha"] : null;
  const siblings = isObject(said) ? said["siblings"] : null;
  if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit) || !Array.isArray(siblings)) {
    throw new Error("it says nothing of the files of this model");
  }
  return { commit, files: siblings.flatMap(readFile) };
}

function readFile(said: unknown): HubFile[] {
  if (!isObject(said)) return [];
  const { rfilename: name, size: bytes, blobId, lfs } = said;
  if (typeof name !== "string" || typeof bytes !== "number") return [];
  if (isObject(lfs) && typeof lfs["sha256"] === "string") {
    return [{ name, bytes, checksum: { kind: "sha256", digest: lfs["sha256"] } }];
  }
  return typeof blobId === "string" ? [{ name, bytes, checksum: { kind: "git", digest: blobId } }] : [];
}

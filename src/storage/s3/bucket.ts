/**
 * A bucket of an S3-compatible store: uploads in parts, and reading. Tries again what may succeed later; what is left is
 * an error in the words of a task. The operator named the store, so it may be anywhere.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { type ApiError, apiError } from "../../base/errors/errors.ts";
import { MIB } from "../../base/limits.ts";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing, type OutgoingAnswer, type OutgoingRequest, SHOWN_ANSWER_CHARS } from "../../base/net/outgoing.ts";
import { Identity } from "./identity.ts";
import type { S3Place } from "./options.ts";
import { escapedKey, signedUrl } from "./signature.ts";

const CALL_MS_MAX = 60_000;
/** For one part, or the whole of what is read. */
const TRANSFER_MS_MAX = 3_600_000;
/** The server may be about to stop, so nobody waits long for this. */
const ABORT_MS_MAX = 10_000;
/** Waits between two tries. */
const RETRY_MS = [250, 1000, 4000, 8000];
/** Of names of a thousand objects. */
const LIST_BYTES_MAX = 4 * MIB;
/** There is one of that name, or somebody puts it just now. */
const THERE_ALREADY = [409, 412];
const NOT_IMPLEMENTED = 501;

type Call = Omit<OutgoingRequest, "url" | "timeoutMs"> & { timeoutMs?: number };

export class Bucket {
  readonly #place: S3Place;
  readonly #outgoing = new Outgoing(new AddressPolicy(["any"]));
  readonly #identity: Identity;

  constructor(place: S3Place) {
    this.#place = place;
    this.#identity = new Identity(place.identity, this.#outgoing);
  }

  /** Returns the id of the upload. */
  async beginUpload(key: string, signal: AbortSignal): Promise<string> {
    const { body } = await this.#call(key, { uploads: "" }, { method: "POST", signal });
    const [, id] = /<UploadId>([^<]+)<\/UploadId>/.exec(body.toString("utf8")) ?? [];
    if (id === undefined) throw apiError("s3_snapshot_server_error", "The S3 store did not name the upload it began.");
    return unescapedXml(id);
  }

  /** Sends a file as one part; returns the tag of it. */
  async sendPart(key: string, id: string, number: number, file: string, signal: AbortSignal): Promise<string> {
    const query = { partNumber: String(number), uploadId: id };
    const { size } = await stat(file);
    const headers = { "content-length": String(size) };
    const call = () => ({ method: "PUT", headers, body: createReadStream(file), timeoutMs: TRANSFER_MS_MAX, signal });
    const { etag } = await this.#call(key, query, call);
    if (etag === undefined) throw apiError("s3_snapshot_server_error", "The S3 store did not tag a part it was sent.");
    return etag;
  }

  async completeUpload(key: string, id: string, tags: readonly string[], signal: AbortSignal): Promise<void> {
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapedXml(tag)}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
    const answer = await this.#call(
      key,
      { uploadId: id },
      { method: "POST", body, timeoutMs: TRANSFER_MS_MAX, signal },
    );
    // Putting parts together takes its time, so a store may say that all is well before it finds that it is not.
    if (answer.body.includes("<Error>")) throw this.#refusal(key, { ...answer, status: 500 });
  }

  /** Frees what the store keeps of an upload that will not be completed. */
  async abortUpload(key: string, id: string): Promise<void> {
    await this.#call(key, { uploadId: id }, { method: "DELETE", signal: AbortSignal.timeout(ABORT_MS_MAX) }, [404]);
  }

  /** Puts an object, unless there is one of that name; `body` makes it anew for every try. */
  async putOnce(key: string, size: number, body: () => Readable): Promise<void> {
    const call = (isConditional: boolean) => (): Call => ({
      method: "PUT",
      headers: { "content-length": String(size), ...(isConditional ? { "if-none-match": "*" } : {}) },
      body: body(),
      timeoutMs: TRANSFER_MS_MAX,
    });
    const { status } = await this.#call(key, {}, call(true), [...THERE_ALREADY, NOT_IMPLEMENTED]);
    // A store without conditions: the name says what is in it, so one that is replaced is replaced by itself.
    if (status === NOT_IMPLEMENTED) await this.#call(key, {}, call(false));
  }

  /** All objects whose names begin like this. */
  async list(prefix: string): Promise<{ key: string; modifiedMs: number }[]> {
    const found: { key: string; modifiedMs: number }[] = [];
    let next: string | null = null;
    do {
      const more: Record<string, string> = next === null ? {} : { "continuation-token": next };
      const query = { "list-type": "2", prefix, ...more };
      const { body } = await this.#call("", query, { method: "GET", answerBytesMax: LIST_BYTES_MAX });
      const text = body.toString("utf8");
      for (const [, entry = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const [key, modified] = [elementIn(entry, "Key"), elementIn(entry, "LastModified")];
        if (key !== null) found.push({ key, modifiedMs: Date.parse(modified ?? "") || Date.now() });
      }
      next = elementIn(text, "NextContinuationToken");
    } while (next !== null);
    return found;
  }

  async remove(key: string): Promise<void> {
    await this.#call(key, {}, { method: "DELETE" }, [404]);
  }

  /** Bytes of an object, or null when there is none. */
  async sizeOf(key: string): Promise<number | null> {
    const { status, size } = await this.#call(key, {}, { method: "HEAD" }, [404]);
    return status === 404 ? null : (size ?? 0);
  }

  /** The object as it comes; where the connection breaks, reading goes on from there. */
  async *read(key: string, size: number): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let attempt = 0; at < size; attempt++) {
      try {
        const headers = { range: `bytes=${at}-` };
        const { status, body } = await this.#outgoing.open({
          ...{ method: "GET", headers, timeoutMs: TRANSFER_MS_MAX },
          url: await this.#signed("GET", key, {}),
        });
        if (status !== 200 && status !== 206) throw new Error(`the S3 store answered ${status} for \`${key}\``);
        if (status === 200 && at > 0) throw new Error(`the S3 store cannot go on reading \`${key}\` in the middle`);
        for await (const piece of body) {
          at += piece.length;
          attempt = 0;
          yield piece;
        }
      } catch (problem) {
        const wait = RETRY_MS[attempt];
        if (wait === undefined) throw problem;
        await setTimeout(wait);
      }
    }
  }

  close(): void {
    this.#outgoing.close();
  }

  /** `call` makes a new one for every try, where a body can be read only once. */
  async #call(
    key: string,
    query: Record<string, string>,
    call: Call | (() => Call),
    expected: readonly number[] = [],
  ): Promise<OutgoingAnswer> {
    for (let attempt = 0; ; attempt++) {
      const request = typeof call === "function" ? call() : call;
      let problem: ApiError;
      try {
        const url = await this.#signed(request.method, key, query);
        const answer = await this.#outgoing.send({ timeoutMs: CALL_MS_MAX, ...request, url });
        if ((answer.status >= 200 && answer.status < 300) || expected.includes(answer.status)) return answer;
        problem = this.#refusal(key, answer);
        if (answer.status < 500 && answer.status !== 408 && answer.status !== 429) throw problem;
      } catch (cause) {
        request.signal?.throwIfAborted();
        if ((cause as Error).name === "ApiError") throw cause;
        const message = `The S3 store at \`${this.#place.url}\` cannot be reached: ${(cause as Error).message}`;
        problem = apiError("s3_snapshot_server_error", message);
      }
      const wait = RETRY_MS[attempt];
      if (wait === undefined) throw problem;
      await setTimeout(wait, undefined, request.signal && { signal: request.signal }).catch(() => {});
      request.signal?.throwIfAborted();
    }
  }

  async #signed(method: string, key: string, query: Record<string, string>): Promise<string> {
    const { bucket, region, signatureSeconds: seconds, url: base } = this.#place;
    const credentials = await this.#identity.credentials();
    const url = new URL(`${base.replace(/\/+$/, "")}/${escapedKey(bucket)}/${escapedKey(key)}`);
    return signedUrl({ method, url, query, region, credentials, now: new Date(), seconds });
  }

  #refusal(key: string, { status, body }: OutgoingAnswer): ApiError {
    const said = body.toString("utf8").slice(0, SHOWN_ANSWER_CHARS);
    const { bucket } = this.#place;
    const message = `The S3 store answered ${status} for \`${key}\` in the bucket \`${bucket}\`: ${said}`;
    return apiError(status < 500 ? "invalid_s3_snapshot_request" : "s3_snapshot_server_error", message);
  }
}

const XML_NAMES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };

/** What the first element of a name holds. */
function elementIn(xml: string, name: string): string | null {
  const [, value] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return value === undefined ? null : unescapedXml(value);
}

function escapedXml(text: string): string {
  return text.replace(/["'<>&]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function unescapedXml(text: string): string {
  return text.replace(/&(#?\w+);/g, (all, name: string) => XML_NAMES[name] ?? letterOf(name) ?? all);
}

/** Of `#38` or `#x26`. */
function letterOf(name: string): string | null {
  const [, hex, digits] = /^#(x?)([0-9a-fA-F]+)$/.exec(name) ?? [];
  return digits === undefined ? null : String.fromCodePoint(Number.parseInt(digits, hex === "x" ? 16 : 10));
}

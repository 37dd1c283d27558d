/**
 * The server that an export goes to: its few routes, with the key, and errors in the words of a task. Tries again what
 * may succeed later; gives up at once when the batch is to stop.
 */

import { setTimeout } from "node:timers/promises";
import { type ApiError, apiError } from "../../base/errors/errors.ts";
import { AddressRefused } from "../../base/net/address-policy.ts";
import { type OutgoingAnswer, type OutgoingRequest, SHOWN_ANSWER_CHARS } from "../../base/net/outgoing.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import type { Work } from "./work.ts";

const CALL_MS_MAX = 30_000;
/** Sending documents includes writing them down over there. */
const DOCUMENTS_MS_MAX = 300_000;
/** Waits between two tries. */
const RETRY_MS = [500, 1000, 2000, 4000];
const WATCH_MS = 50;

type Call = Omit<OutgoingRequest, "url" | "signal">;

export class ExportTarget {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #work: Work;

  constructor(url: string, apiKey: string | null, work: Work) {
    if (!URL.canParse(url)) throw apiError("invalid_export_url", `\`${url}\` is not a valid URL to export to.`);
    this.#base = url.replace(/\/+$/, "");
    this.#headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    this.#work = work;
  }

  /** True when the index was not there. */
  async createIfMissing(uid: string, primaryKey: string | null): Promise<boolean> {
    const found = await this.#call(`/indexes/${uid}`, { method: "GET", timeoutMs: CALL_MS_MAX }, [404]);
    if (found.status !== 404) return false;
    await this.#sendJson("POST", "/indexes", { uid, primaryKey });
    return true;
  }

  /** Settings that need a feature which may be off over there are sent only when they say something. */
  async sendSettings(uid: string, { chat, foreignKeys, embedderDimensions: _, ...settings }: Settings): Promise<void> {
    await this.#sendJson("PATCH", `/indexes/${uid}/settings`, {
      ...settings,
      ...(Object.keys(chat).length === 0 ? {} : { chat }),
      ...(foreignKeys.length === 0 ? {} : { foreignKeys }),
    });
  }

  async sendDocuments(uid: string, primaryKey: string | null, gzippedLines: Uint8Array): Promise<void> {
    const query = primaryKey === null ? "" : `?primaryKey=${encodeURIComponent(primaryKey)}`;
    await this.#call(`/indexes/${uid}/documents${query}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson", "content-encoding": "gzip" },
      body: gzippedLines,
      timeoutMs: DOCUMENTS_MS_MAX,
    });
  }

  async #sendJson(method: string, route: string, value: unknown): Promise<void> {
    const headers = { "content-type": "application/json" };
    await this.#call(route, { method, headers, body: JSON.stringify(value), timeoutMs: CALL_MS_MAX });
  }

  /** The answer, which is a success or one of `expected`. */
  #call(route: string, call: Call, expected: readonly number[] = []): Promise<OutgoingAnswer> {
    return this.#work.patiently(this.#tries(route, call, expected));
  }

  async #tries(route: string, call: Call, expected: readonly number[]): Promise<OutgoingAnswer> {
    for (let attempt = 0; ; attempt++) {
      let problem: ApiError;
      try {
        const answer = await this.#send({ ...call, url: this.#base + route });
        if ((answer.status >= 200 && answer.status < 300) || expected.includes(answer.status)) return answer;
        problem = refusal(route, answer);
        if (!isPassing(answer.status)) throw problem;
      } catch (cause) {
        if (!(cause instanceof CallFailed)) throw cause;
        problem = apiError("remote_could_not_send_request", `The export to \`${this.#base}\` failed: ${cause.message}`);
        if (cause.cause instanceof AddressRefused) throw problem;
      }
      const wait = RETRY_MS[attempt];
      if (wait === undefined) throw problem;
      await setTimeout(wait);
      this.#work.checkpoint();
    }
  }

  async #send(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const stop = new AbortController();
    const watch = setInterval(() => {
      try {
        this.#work.checkpoint();
      } catch (aborted) {
        stop.abort(aborted);
      }
    }, WATCH_MS);
    try {
      const headers = { ...this.#headers, ...request.headers };
      return await this.#work.outgoing.send({ ...request, headers, signal: stop.signal });
    } catch (problem) {
      if (stop.signal.aborted) throw stop.signal.reason;
      throw new CallFailed((problem as Error).message, { cause: problem });
    } finally {
      clearInterval(watch);
    }
  }
}

/** No answer came. */
class CallFailed extends Error {
  override readonly name = "CallFailed";
}

/** Whether another try may find the server in a better state. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

function refusal(route: string, { status, body }: OutgoingAnswer): ApiError {
  const said = body.toString("utf8").slice(0, SHOWN_ANSWER_CHARS);
  const message = `The export failed: the remote answered ${status} to \`${route}\`: ${said}`;
  if (status === 401 || status === 403) return apiError("remote_invalid_api_key", message);
  if (status >= 500) return apiError("remote_remote_error", message);
  if (status >= 400) return apiError("remote_bad_request", message);
  return apiError("remote_bad_response", message);
}

/**
 * The reranking service for personalized search, at an address that the operator has set: any that takes `{model,
 * query, documents, top_n}`, as those of Cohere, Jina and vLLM do. Bounded in time; an answer that is late is given up.
 */
import { type ApiError, apiError } from "../errors/errors.ts";
import { MIB } from "../limits.ts";
import type { Outgoing, OutgoingChunks } from "./outgoing.ts";

interface RerankerOptions {
  url: string;
  /** Null for a service that wants none. */
  apiKey: string | null;
  model: string;
}

export const RERANKER_URL = "https://api.cohere.com/v2/rerank";
export const RERANKER_MODEL = "rerank-v3.5";

const ANSWER_BYTES_MAX = 4 * MIB;
const SHOWN_UNITS_MAX = 500;

export class Reranker {
  readonly #outgoing: Pick<Outgoing, "collect">;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #model: Buffer;

  constructor(outgoing: Pick<Outgoing, "collect">, { url, apiKey, model }: RerankerOptions) {
    this.#outgoing = outgoing;
    this.#url = url;
    this.#headers = {
      "content-type": "application/json",
      accept: "application/json",
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    this.#model = Buffer.from(`{"model":${JSON.stringify(model)},`);
  }

  /** `asked`: an object as JSON, which the model is added to. Null when there is no answer in time; rejects with the error to answer. */
  async rank(asked: Uint8Array, timeoutMs: number, signal: AbortSignal): Promise<Uint8Array[] | null> {
    const late = AbortSignal.timeout(Math.ceil(timeoutMs));
    let answer: OutgoingChunks;
    try {
      answer = await this.#outgoing.collect({
        method: "POST",
        url: this.#url,
        headers: this.#headers,
        body: Buffer.concat([this.#model, asked.subarray(1)]),
        timeoutMs: Math.ceil(timeoutMs) + 1000,
        signal: AbortSignal.any([late, signal]),
        answerBytesMax: ANSWER_BYTES_MAX,
      });
    } catch (problem) {
      if (late.aborted || signal.aborted) return null;
      const why = (problem as NodeJS.ErrnoException).code ?? "the connection failed";
      throw apiError("remote_could_not_send_request", `The personalization service could not be asked: ${why}.`);
    }
    if (answer.status !== 200 || answer.isCut) throw refusalOf(answer);
    return answer.chunks;
  }
}

function refusalOf({ status, chunks }: OutgoingChunks): ApiError {
  const said = Buffer.concat(chunks).toString("utf8").slice(0, SHOWN_UNITS_MAX);
  const message = `The personalization service answered with status ${status}: ${said}`;
  if (status === 401) return apiError("remote_invalid_api_key", "The personalization service refused its key.");
  if (status === 429) return apiError("too_many_search_requests", message);
  if (status === 400) return apiError("remote_bad_request", message);
  return apiError(status >= 500 ? "remote_remote_error" : "remote_bad_response", message);
}

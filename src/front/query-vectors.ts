/**
 * Queries that are to be found by meaning get their vectors here, before a reader sees them: readers wait for nobody. What
 * cannot be embedded in time goes on by its words, unless it has none to go by.
 */
import { embedderFor, isSemantic, needsVector, type QueryParts } from "../ask/vectors.ts";
import { apiError } from "../contract/errors.ts";
import { withEmbedderDefaults } from "../index/embedders.ts";
import { fragmentsOf, searchSide } from "../index/generators.ts";
import { limits } from "../limits.ts";
import { clockMs } from "../link/clock.ts";
import type { Json, JsonObject } from "../tasks/task.ts";
import type { EmbedderRef } from "../vector/embed/client.ts";
import type { EmbedInput } from "../vector/embed/embedder.ts";
import { Fragment } from "../vector/template/fragment.ts";
import { ONCE, TemplateFailure } from "../vector/template/template.ts";
import { withIndex } from "./routes/common.ts";
import type { Request, Services } from "./services.ts";

/** The part of its time that a search with words may spend on its vector; the rest is for finding documents. */
const HYBRID_SHARE = 2 / 3;

/** What there is to embed of a query, and how long that may take. */
export interface Embeddable {
  embedder: EmbedderRef;
  input: EmbedInput;
  /** By `clockMs()`. */
  deadline: number;
}

/**
 * Null when there is nothing to embed, or nobody to do it: the reader says what is wrong with that. Throws when the query
 * does not fit the embedder.
 */
export function embeddable(
  services: Pick<Services, "indexes">,
  request: Request,
  indexUid: string,
  query: QueryParts,
): Embeddable | null {
  if (!needsVector(query)) return null;
  const name = query.hybrid!.embedder;
  const settings = withIndex(services, indexUid, (index) => index.settings);
  const embedder = embedderFor(settings, query);
  if (embedder === null) return null;
  const input = searchInput(query, embedder);
  const share = isSemantic(query) ? 1 : HYBRID_SHARE;
  const allowedMs = (settings.searchCutoffMs ?? limits.searchCutoffMs) * share;
  const deadline = clockMs() - (performance.now() - request.startedAt) + allowedMs;
  return { embedder: { name, settings: withEmbedderDefaults(embedder) }, input, deadline };
}

/** The query with its vector. One that also has words stays as it is when it cannot be embedded. */
export async function withVector<Query extends QueryParts>(
  services: Services,
  request: Request,
  query: Query,
  { embedder, input, deadline }: Embeddable,
): Promise<Query> {
  const gone = new AbortController();
  request.onAbort(() => gone.abort(apiError("bad_request", "The client is gone.")));
  try {
    const vector = await services.embed.embedQuery(embedder, input, deadline, gone.signal);
    return { ...query, vector: Array.from(vector), media: null };
  } catch (problem) {
    if (isSemantic(query)) throw problem;
    services.log.debug("search", "a query was not embedded", {
      embedder: embedder.name,
      cause: (problem as Error).message,
    });
    return { ...query, media: null };
  }
}

/** What the embedder is asked: the words, or the one search fragment that the query fills. */
function searchInput({ q, media }: QueryParts, embedder: JsonObject): EmbedInput {
  const fragments = fragmentsOf(searchSide(embedder)["searchFragments"]);
  if (fragments.length === 0) {
    if (media !== null) throw embeddingError("the embedder has no search fragments that `media` could fill");
    return { text: q, fragment: null };
  }
  const scope: JsonObject = { ...(q === null ? {} : { q }), ...(media === null ? {} : { media }) };
  const filled: { name: string; value: Json }[] = [];
  for (const fragment of fragments) {
    const { name } = fragment;
    const value = rendering(name, () => new Fragment(fragment, ONCE).render(scope));
    if (value !== undefined) filled.push({ name, value });
  }
  if (filled.length === 1) return { text: null, fragment: filled[0]!.value };
  const known = fragments.map(({ name }) => `\`${name}\``).join(", ");
  if (filled.length === 0) throw embeddingError(`the query fills none of the search fragments ${known}`);
  const names = filled.map(({ name }) => `\`${name}\``).join(", ");
  throw embeddingError(`the query fills more than one search fragment: ${names}`);
}

function rendering<Result>(fragment: string, render: () => Result): Result {
  try {
    return render();
  } catch (problem) {
    if (!(problem instanceof TemplateFailure)) throw problem;
    throw embeddingError(`the search fragment \`${fragment}\` cannot be rendered: ${problem.message}`);
  }
}

function embeddingError(problem: string) {
  return apiError("vector_embedding_error", `Error while generating embeddings: user error: ${problem}.`);
}

/** Settings of an embedder become something that embeds. Calls nobody, and loads no model yet. */

import { hasFragments, sourceOf } from "../../../base/contract/embedders.ts";
import type { JsonObject } from "../../../base/json/value.ts";

import { CompositeEmbedder } from "./composite.ts";
import { type Embedder, type EmbedEnvironment, EmbedError } from "./embedder.ts";
import { LocalEmbedder } from "./local.ts";
import { PriorityLimiter } from "./priority-limiter.ts";
import { ollamaProvider, openAiProvider, type Provider, restProvider } from "./provider.ts";
import { RemoteEmbedder } from "./remote.ts";

/** Requests under way at once, and how many of them for documents. */
const REQUESTS_MAX = 64;
const DOCUMENT_REQUESTS_MAX = 40;

/** What the requests of one embedder take turns in: a provider that does not answer keeps nobody else waiting. */
export function requestTurns(): PriorityLimiter {
  return new PriorityLimiter(REQUESTS_MAX, DOCUMENT_REQUESTS_MAX);
}

/** Throws an `EmbedError` for settings that no call could succeed with. */
export function createEmbedder(settings: JsonObject, environment: EmbedEnvironment, turns: PriorityLimiter): Embedder {
  const remote = (provider: Provider) => {
    const outgoing = provider.isOperators ? environment.operatorsOutgoing : environment.outgoing;
    return new RemoteEmbedder(provider, { ...environment, outgoing }, turns);
  };
  const source = sourceOf(settings);
  switch (source) {
    case "rest":
      return remote(restProvider(settings));
    case "openAi":
      return remote(openAiProvider(settings, environment));
    case "ollama":
      return remote(ollamaProvider(settings, environment));
    case "huggingFace":
      return new LocalEmbedder(async () => {
        // What runs models is large, and most servers never need it.
        const { loadLocalModel } = await import("./local/model.ts");
        return loadLocalModel(settings, environment);
      });
    case "composite": {
      const indexing = (settings["indexingEmbedder"] ?? {}) as JsonObject;
      const search = (settings["searchEmbedder"] ?? {}) as JsonObject;
      return new CompositeEmbedder(
        createEmbedder(indexing, environment, turns),
        createEmbedder(search, environment, turns),
        !hasFragments(indexing) && !hasFragments(search),
      );
    }
    case "userProvided":
      throw new EmbedError("user", "its vectors come with the documents and searches, and it embeds nothing itself");
  }
}

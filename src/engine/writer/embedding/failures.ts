/** Which failures of embedding do not fail a batch, as an environment variable of the server says. */
import type { EmbeddingFailure } from "../work.ts";

const FAILURES: Record<string, EmbeddingFailure> = {
  ignore_document_template_failures: "documentTemplate",
  ignore_embedder_failures: "embedder",
};

/** Words that mean nothing are passed over. */
export function ignoredFailures(env: NodeJS.ProcessEnv): EmbeddingFailure[] {
  const words = (env["MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES"] ?? "").split(",");
  return words.flatMap((word) => FAILURES[word.trim()] ?? []);
}

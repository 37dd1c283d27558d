/**
 * Two embedders of one model: one for documents, one for queries. They must agree, or nothing would be found; that is
 * tried when the embedder is set up.
 */
import { type Embedder, EmbedError, type EmbedInput, type EmbedOptions } from "./embedder.ts";

const PROBES = ["test", "a red bicycle leans against the wall", "How deep is the sea?"];
/** Cosine distance up to which two vectors count as the same. */
const DISTANCE_MAX = 0.01;

export class CompositeEmbedder implements Embedder {
  readonly #indexing: Embedder;
  readonly #search: Embedder;
  readonly #comparable: boolean;

  /** `comparable`: whether both take texts, so that the same one can be given to both. */
  constructor(indexing: Embedder, search: Embedder, comparable: boolean) {
    this.#indexing = indexing;
    this.#search = search;
    this.#comparable = comparable;
  }

  get dimensions(): number | null {
    return this.#indexing.dimensions ?? this.#search.dimensions;
  }

  embed(inputs: readonly EmbedInput[], options: EmbedOptions): Promise<Float32Array[]> {
    return (options.purpose === "search" ? this.#search : this.#indexing).embed(inputs, options);
  }

  async prepare(options: EmbedOptions): Promise<number> {
    const indexing = await this.#indexing.prepare(options);
    const search = await this.#search.prepare(options);
    if (indexing !== search) {
      throw new EmbedError(
        "user",
        `its two embedders do not agree: \`indexingEmbedder\` gives ${indexing} dimensions, \`searchEmbedder\` ${search}`,
      );
    }
    if (this.#comparable) await this.#compare(options);
    return indexing;
  }

  close(): void {
    this.#indexing.close?.();
    this.#search.close?.();
  }

  async #compare(options: EmbedOptions): Promise<void> {
    const probes = PROBES.map((text): EmbedInput => ({ text, fragment: null }));
    const [ours, theirs] = await Promise.all([
      this.#indexing.embed(probes, options),
      this.#search.embed(probes, options),
    ]);
    for (const [i, probe] of PROBES.entries()) {
      const distance = cosineDistance(ours[i]!, theirs[i]!);
      if (distance > DISTANCE_MAX) {
        throw new EmbedError(
          "user",
          `its two embedders do not agree: for the text \`${probe}\` they give embeddings ${distance.toFixed(3)} apart, ` +
            `and at most ${DISTANCE_MAX} is accepted; check that both use the same model, dimensions and pooling`,
        );
      }
    }
  }
}

function cosineDistance(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let normA = 0;
  let normB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    normA += a[i]! * a[i]!;
    normB += b[i]! * b[i]!;
  }
  return normA === 0 || normB === 0 ? Number(normA !== normB) : 1 - dot / Math.sqrt(normA * normB);
}

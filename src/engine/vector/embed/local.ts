/**
 * An embedder whose model runs in this thread, loaded when it is first needed. Models, what runs them, and whose turn it
 * is to compute, are `local/`'s part.
 */
import { type Embedder, EmbedError, type EmbedInput, type EmbedOptions } from "./embedder.ts";
import type { LocalModel } from "./local/model.ts";

export class LocalEmbedder implements Embedder {
  readonly #load: () => Promise<LocalModel>;
  #model: Promise<LocalModel> | null = null;
  #dimensions: number | null = null;

  constructor(load: () => Promise<LocalModel>) {
    this.#load = load;
  }

  get dimensions(): number | null {
    return this.#dimensions;
  }

  async prepare(): Promise<number> {
    return (await this.#loaded()).dimensions;
  }

  async embed(inputs: readonly EmbedInput[], { purpose, signal }: EmbedOptions): Promise<Float32Array[]> {
    const texts = inputs.map(({ text }) => {
      if (text === null) throw new EmbedError("user", "it embeds a text, and was given none");
      return text;
    });
    const model = await this.#loaded();
    signal.throwIfAborted();
    return model.embed(texts, { purpose, signal });
  }

  close(): void {
    void this.#model?.then(
      (model) => model.close(),
      () => {},
    );
    this.#model = null;
  }

  /** One load for all who wait; a failed one is tried again by the next. */
  async #loaded(): Promise<LocalModel> {
    const loading = this.#model ?? this.#load();
    this.#model = loading;
    try {
      const model = await loading;
      this.#dimensions = model.dimensions;
      return model;
    } catch (error) {
      if (this.#model === loading) this.#model = null;
      throw error;
    }
  }
}

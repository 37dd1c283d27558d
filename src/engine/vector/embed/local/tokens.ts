/**
 * From text to the token numbers of a model, cut to what the model takes. The tokenizer is the package's; here is only how
 * much of a text it gets to see, and what is left of a text that is too long.
 */
import { EmbedError } from "../embedder.ts";
import { loadPackage, TOKENIZER_PACKAGE } from "./packages.ts";
import { readObject } from "./traits.ts";

/** The part of the package that is used. */
interface Tokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] };
}
interface TokenizerPackage {
  Tokenizer: new (tokenizer: object, config: object) => Tokenizer;
}

/** Ordinary text has 3 to 6 characters a token; a text is cut far behind that before it is split. */
const CHARS_A_TOKEN = 16;
/** The word in which a text was cut may be split another way: this many tokens more and it is surely not among those kept. */
const TOKENS_BEHIND_CUT = 256;

export class TextTokens {
  readonly #tokenizer: Tokenizer;
  readonly #tokensMax: number;
  /** What the model wants behind every text. */
  readonly #closing: number[];

  constructor(folder: string, tokensMax: number, modelsDir: string | null) {
    this.#tokenizer = openTokenizer(folder, modelsDir);
    this.#tokensMax = tokensMax;
    this.#closing = closingOf(this.#tokenizer);
  }

  /** At most `tokensMax` tokens, the special ones included; at least one. */
  encode(text: string): number[] {
    const ids = this.#encodeEnough(text);
    if (ids.length <= this.#tokensMax) return ids.length === 0 ? [0] : ids;
    return [...ids.slice(0, this.#tokensMax - this.#closing.length), ...this.#closing];
  }

  /** The time to split a text must not grow with what is thrown away. */
  #encodeEnough(text: string): number[] {
    for (let chars = this.#tokensMax * CHARS_A_TOKEN; chars < text.length; chars *= 4) {
      const { ids } = this.#tokenizer.encode(text.slice(0, chars), { add_special_tokens: true });
      if (ids.length >= this.#tokensMax + TOKENS_BEHIND_CUT) return ids;
    }
    return this.#tokenizer.encode(text, { add_special_tokens: true }).ids;
  }
}

function openTokenizer(folder: string, modelsDir: string | null): Tokenizer {
  const loaded = loadPackage(TOKENIZER_PACKAGE, modelsDir) as TokenizerPackage | null;
  if (loaded === null) {
    throw new EmbedError("user", `models on disk need the package \`${TOKENIZER_PACKAGE}\`, which is not installed`);
  }
  try {
    return new loaded.Tokenizer(readObject(folder, "tokenizer.json"), readObject(folder, "tokenizer_config.json"));
  } catch (error) {
    if (error instanceof EmbedError) throw error;
    throw new EmbedError("user", `\`${folder}/tokenizer.json\` is no tokenizer: ${(error as Error).message}`);
  }
}

/** Found by a trial, the rule that adds special tokens takes many forms: the end that a word and nothing have in common. */
function closingOf(tokenizer: Tokenizer): number[] {
  const [none, word] = ["", "a"].map((text) => tokenizer.encode(text, { add_special_tokens: true }).ids) as [
    number[],
    number[],
  ];
  let length = 0;
  while (length < none.length && none.at(-1 - length) === word.at(-1 - length)) length++;
  return none.slice(none.length - length);
}

/** How important fields are: by their rank among the searchable attributes, all alike when every field is searchable. */
import { nameTree } from "../../storage/settings/name-tree.ts";
import type { Corpus } from "../query/corpus.ts";
import { NO_MATCH } from "./cost-column.ts";

export class FieldWeights {
  readonly heaviest: number;
  readonly #names: readonly string[] | null;
  readonly #corpus: Corpus;
  readonly #fields: (Uint16Array | undefined)[] = [];
  readonly #sets: (Uint16Array | undefined)[] = [];

  constructor(searchable: readonly string[], corpus: Corpus) {
    this.#corpus = corpus;
    this.#names = searchable.includes("*") ? null : searchable;
    this.heaviest = this.#names === null ? 0 : this.#names.length - 1;
  }

  /** By local field of a segment, 0 for the most important; NO_MATCH for fields that are not searched. */
  ofFields(segment: number): Uint16Array {
    let weights = this.#fields[segment];
    if (weights === undefined) {
      const searched = this.#corpus.fields(segment);
      weights = Uint16Array.from(this.#corpus.segments[segment]!.reader.fields, (name, id) =>
        searched === null || searched.has(id) ? this.#weight(name) : NO_MATCH,
      );
      this.#fields[segment] = weights;
    }
    return weights;
  }

  /** The lowest weight in each field set of a segment. */
  ofSets(segment: number): Uint16Array {
    let weights = this.#sets[segment];
    if (weights === undefined) {
      const { setFields, setOffsets } = this.#corpus.segments[segment]!.reader.fieldTable;
      const ofFields = this.ofFields(segment);
      weights = new Uint16Array(setOffsets.length - 1).fill(NO_MATCH);
      for (let set = 0; set < weights.length; set++) {
        for (let i = setOffsets[set]!; i < setOffsets[set + 1]!; i++) {
          weights[set] = Math.min(weights[set]!, ofFields[setFields[i]!]!);
        }
      }
      this.#sets[segment] = weights;
    }
    return weights;
  }

  #weight(field: string): number {
    if (this.#names === null) return 0;
    const found = nameTree(this.#names).find(field);
    return found < 0 ? NO_MATCH : found;
  }
}

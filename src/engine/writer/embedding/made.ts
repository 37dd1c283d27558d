/** Puts the vectors of one embedder together: those just made, those of clients, and those that stay as they were. */
import { WordLog } from "../../../storage/segment/byte-log.ts";
import type { MadeVectors } from "../../../storage/segment/vectors/made.ts";
import type { EmbedderVectors } from "../../../storage/segment/vectors/reader.ts";
import { AS_GIVEN, AS_STORED, BY_ENTRIES, FOR_GOOD, type StoredOrigins, type Survey } from "../../build/survey.ts";
import type { StoredPlaces } from "./stored-places.ts";

/** `fresh`: one vector for each input of the survey; null when they could not be made, and documents go without. */
export function madeBySurvey(
  survey: Survey,
  dimensions: number,
  fresh: readonly Float32Array[] | null,
  places: StoredPlaces,
  stored: StoredOrigins | null,
): MadeVectors {
  const list = new VectorList(survey.embedder, dimensions, survey.fragments);
  const storedOf = places.vectorsOf(survey.embedder);
  let nextFresh = 0;
  let nextGiven = 0;
  let givenAt = 0;
  for (let i = 0; i < survey.documents.length; i++) {
    const document = survey.documents[i]!;
    const from = survey.entryStarts[i]!;
    const to = survey.entryStarts[i + 1]!;
    const before = storedOf(document);
    switch (survey.ways[i]) {
      case FOR_GOOD:
        if (before === null) continue;
        list.addSlot(before.vectors, before.slot);
        list.endRow(document, false);
        continue;
      case AS_STORED:
        if (before !== null) list.addSlot(before.vectors, before.slot);
        break;
      case AS_GIVEN:
        for (let left = survey.givenCounts[nextGiven++]!; left > 0; left--) {
          list.add(survey.given.subarray(givenAt, givenAt + dimensions));
          givenAt += dimensions;
        }
        break;
      case BY_ENTRIES: {
        const first = nextFresh;
        for (let entry = from; entry < to; entry++) nextFresh += survey.fresh[entry]!;
        if (fresh === null && nextFresh > first) continue;
        let next = first;
        for (let entry = from; entry < to; entry++) {
          if (survey.fresh[entry] === 1) list.add(fresh![next++]!);
          else list.add(storedVector(before!, stored!, document, survey, entry));
        }
        break;
      }
    }
    for (let entry = from; entry < to; entry++) {
      list.origin(document, survey.sources[entry]!, survey.hashes[2 * entry]!, survey.hashes[2 * entry + 1]!);
    }
    list.endRow(document, true);
  }
  return list.finish();
}

/** The stored vector of the same fragment. */
function storedVector(
  { vectors, slot }: { vectors: EmbedderVectors; slot: number },
  stored: StoredOrigins,
  document: number,
  survey: Survey,
  entry: number,
): Float32Array {
  const name = survey.fragments[survey.sources[entry]! - 1]!;
  const first = stored.starts[document]!;
  const place = stored.sources.indexOf(stored.fragments.indexOf(name) + 1, first) - first;
  return vectors.vector(vectors.starts[slot]! + place);
}

/** Everything the embedder has made before, for documents that stay as they are. */
export function keptAsStored(embedder: string, dimensions: number, places: StoredPlaces): MadeVectors {
  const stored = places.originsOf(embedder);
  const storedOf = places.vectorsOf(embedder);
  const list = new VectorList(embedder, dimensions, stored.fragments);
  for (let document = 0; document < places.size; document++) {
    const before = storedOf(document);
    if (before === null || !before.vectors.mayRegenerate(before.slot)) continue;
    list.addSlot(before.vectors, before.slot);
    for (let entry = stored.starts[document]!; entry < stored.starts[document + 1]!; entry++) {
      list.origin(document, stored.sources[entry]!, stored.hashes[2 * entry]!, stored.hashes[2 * entry + 1]!);
    }
    list.endRow(document, true);
  }
  return list.finish();
}

/** Vectors one after the other, row by row. */
class VectorList {
  readonly #embedder: string;
  readonly #dimensions: number;
  readonly #fragments: readonly string[];
  readonly #rows = new WordLog();
  readonly #starts = new WordLog();
  readonly #regenerate: number[] = [];
  readonly #vectors: Float32Array[] = [];
  readonly #originRows = new WordLog();
  readonly #sources = new WordLog();
  readonly #hashes = new WordLog();

  constructor(embedder: string, dimensions: number, fragments: readonly string[]) {
    this.#embedder = embedder;
    this.#dimensions = dimensions;
    this.#fragments = fragments;
    this.#starts.push(0);
  }

  add(vector: Float32Array): void {
    this.#vectors.push(vector);
  }

  addSlot(vectors: EmbedderVectors, slot: number): void {
    for (let index = vectors.starts[slot]!; index < vectors.starts[slot + 1]!; index++) this.add(vectors.vector(index));
  }

  origin(row: number, source: number, first: number, second: number): void {
    this.#originRows.push(row);
    this.#sources.push(source);
    this.#hashes.push(first);
    this.#hashes.push(second);
  }

  /** The vectors added since the last row are those of this one. */
  endRow(row: number, regenerate: boolean): void {
    if (this.#vectors.length === this.#starts.words[this.#rows.length]) return;
    this.#rows.push(row);
    this.#starts.push(this.#vectors.length);
    this.#regenerate.push(regenerate ? 1 : 0);
  }

  finish(): MadeVectors {
    const floats = new Float32Array(this.#vectors.length * this.#dimensions);
    for (const [i, vector] of this.#vectors.entries()) floats.set(vector, i * this.#dimensions);
    return {
      embedder: this.#embedder,
      dimensions: this.#dimensions,
      rows: this.#rows.view().slice(),
      starts: this.#starts.view().slice(),
      regenerate: Uint8Array.from(this.#regenerate),
      floats,
      origins: {
        fragments: this.#fragments,
        rows: this.#originRows.view().slice(),
        sources: this.#sources.view().slice(),
        hashes: this.#hashes.view().slice(),
      },
    };
  }
}

/** Puts documents of one part in an order that all parts have agreed on, bucket by bucket. */
import type { RowSets } from "../query/row-sets.ts";
import { Neighbours } from "../vector/neighbours.ts";
import type { AgreedBucket, Agreement, Measured } from "./agreement.ts";
import type { Bucket, RankContext, Sorting } from "./context.ts";
import { Documents } from "./documents.ts";
import { partFirst } from "./first-of.ts";
import { BATCH } from "./geo-buckets.ts";
import type { Interpretations } from "./reading.ts";
import { LOOK_MAX, type VectorOrder } from "./vector-sort.ts";

class AgreedSort implements Sorting {
  readonly #context: RankContext;
  readonly #documents: Documents;
  readonly #interpretations: Interpretations;
  readonly #buckets: readonly AgreedBucket[];
  /** Positions of documents by their ids; those handed out are taken away. */
  readonly #positions = new Map<number, number>();
  #upcoming = 0;

  /** `buckets`: none as long as nothing is agreed. */
  constructor(
    context: RankContext,
    documents: Documents,
    interpretations: Interpretations,
    buckets: readonly AgreedBucket[] | null,
  ) {
    this.#context = context;
    this.#documents = documents;
    this.#interpretations = interpretations;
    this.#buckets = buckets ?? [];
    eachDocument(context, documents, (docid, position) => this.#positions.set(docid, position));
  }

  next(): Bucket | null {
    const step = this.#upcoming++;
    const bucket = this.#buckets[step];
    if (bucket === undefined) return null;
    const { detail, docids } = bucket;
    this.#context.agreement?.reach(step);
    const positions: number[] = [];
    for (const docid of docids) {
      const position = this.#positions.get(docid);
      if (position === undefined) continue;
      positions.push(position);
      this.#positions.delete(docid);
    }
    const found = this.#documents.pick(Uint32Array.from(positions).sort());
    return { documents: this.#left(found), interpretations: this.#interpretations, detail, step };
  }

  rest(): Documents {
    return this.#left(this.#documents.pick(Uint32Array.from(this.#positions.values()).sort()));
  }

  #left(documents: Documents): Documents {
    const { isExcluded } = this.#context;
    return isExcluded === null ? documents : documents.filter((segment, row) => !isExcluded(segment, row));
  }
}

/** By distance from a place. `isEnough`: whether to tell of as many as are put in order at a time is. */
export function agreedByPlace(
  context: RankContext,
  agreement: Agreement,
  documents: Documents,
  interpretations: Interpretations,
  { descending, lat, lng }: { descending: boolean; lat: number; lng: number },
  isEnough: boolean,
): Sorting {
  const buckets = agreement.order(() => {
    const measured: Placed[] = [];
    eachDocument(context, documents, (docid, _position, segment, row) => {
      if (context.isExcluded?.(segment, row)) return;
      const { geo } = context.view.segments[segment]!.reader;
      const metres = geo?.distance(row, lat, lng) ?? Number.POSITIVE_INFINITY;
      const isPlaced = metres !== Number.POSITIVE_INFINITY;
      measured.push({
        kind: "geo",
        docid,
        distance: isPlaced ? metres : null,
        point: isPlaced ? geo!.point(row) : null,
      });
    });
    return isEnough ? nearest(measured, descending) : measured;
  });
  return new AgreedSort(context, documents, interpretations, buckets);
}

type Placed = Extract<Measured, { kind: "geo" }>;

/** Those that come first, as many as are put in order at a time; all where there are fewer. */
function nearest(measured: Placed[], descending: boolean): Placed[] {
  const placed = measured.filter(({ distance }) => distance !== null);
  if (placed.length <= BATCH) return measured;
  const keys = Float64Array.from(placed, ({ distance }) => (descending ? -distance! : distance!));
  const docids = Uint32Array.from(placed, ({ docid }) => docid);
  const positions = placed.map((_, i) => i);
  return partFirst(positions, keys, docids, BATCH).first.map((i) => placed[i]!);
}

/** By similarity with a vector. `isEnough`: whether to tell of the first batch is. */
export function agreedByVector(
  context: RankContext,
  agreement: Agreement,
  documents: Documents,
  sets: RowSets,
  interpretations: Interpretations,
  { batch, target, vectors }: VectorOrder,
  isEnough: boolean,
): Sorting {
  const buckets = agreement.order(() => {
    const measured: Measured[] = [];
    const neighbours = new Neighbours(vectors, target);
    const unseen = context.corpus.spaces.copyOf(sets);
    const most = Math.min(LOOK_MAX, Math.max(1, batch));
    for (;;) {
      const found = neighbours.nearest(unseen, most, context.clock);
      for (const neighbour of found) {
        const { distance, docid, row, segment } = neighbour;
        unseen[segment]!.clear(row);
        if (context.isExcluded?.(segment, row)) continue;
        measured.push({ kind: "vector", docid, distance, value: Array.from(neighbours.vector(neighbour)) });
      }
      if (found.length < most) break;
      if (isEnough) return measured;
    }
    const rest = Documents.of(context.corpus.spaces, unseen);
    eachDocument(context, rest, (docid) => measured.push({ kind: "vector", docid, distance: null, value: null }));
    return measured;
  });
  return new AgreedSort(context, documents, interpretations, buckets);
}

/** Visits the documents in the order in which they are listed. */
function eachDocument(
  { view }: RankContext,
  documents: Documents,
  visit: (docid: number, position: number, segment: number, row: number) => void,
): void {
  for (let segment = 0; segment < documents.segmentCount; segment++) {
    const { docids } = view.segments[segment]!.reader;
    documents.rowsOf(segment).forEach((row, i) => {
      visit(docids[row]!, documents.starts[segment]! + i, segment, row);
    });
  }
}

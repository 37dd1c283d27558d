/** Orders that only all parts together can tell: by distance, where a metre makes no difference, and by similarity, in batches. */
import type { AgreedBucket, Measured } from "../rank/agreement.ts";
import { GeoBuckets } from "../rank/geo-buckets.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RuleName } from "../rank/rule-table.ts";
import { similarityOf } from "../vector/target.ts";

type Placed = Extract<Measured, { kind: "geo" }>;
type Near = Extract<Measured, { kind: "vector" }>;
type GeoRule = Extract<Extract<RuleName, { kind: "sort" }>["rule"], { lat: number }>;

/** `batch`: neighbours put in order at a time. `most`: no more than the buckets of so many documents are wanted. */
export function agreedOrder(
  rule: RuleName,
  documents: readonly Measured[],
  { vector }: KeywordRequest,
  batch: number,
  most: number,
): AgreedBucket[] {
  if (rule.kind === "sort" && rule.rule.kind !== "field") {
    return byDistance(
      rule.rule,
      documents.filter((document) => document.kind === "geo"),
      most,
    );
  }
  const near = documents.filter((document) => document.kind === "vector");
  return bySimilarity(vector!, near, Math.max(1, batch), most);
}

function byDistance({ lat, lng, descending }: GeoRule, documents: readonly Placed[], most: number): AgreedBucket[] {
  const distances = Float64Array.from(documents, ({ distance }) => distance ?? Number.POSITIVE_INFINITY);
  const ids = Uint32Array.from(documents, ({ docid }) => docid);
  const order = new GeoBuckets(distances, ids, descending, null);
  const buckets: AgreedBucket[] = [];
  const add = (own: readonly Placed[]): void => {
    const { distance, point } = own[0]!;
    const said = { value: point, distance: distance === null ? null : Math.round(distance) };
    buckets.push({ docids: idsOf(own), detail: { kind: "geo", lat, lng, descending, ...said } });
  };
  let count = 0;
  for (let positions = order.next(); positions !== null; positions = order.next()) {
    add(positions.map((position) => documents[position]!));
    count += positions.length;
    if (count >= most) return buckets;
  }
  const rest = documents.filter(({ distance }) => distance === null);
  if (rest.length > 0) add(rest);
  return buckets;
}

function bySimilarity(
  { distribution, target }: NonNullable<KeywordRequest["vector"]>,
  documents: readonly Near[],
  batch: number,
  wanted: number,
): AgreedBucket[] {
  const near = documents.filter(({ distance }) => distance !== null);
  near.sort((a, b) => a.distance! - b.distance! || a.docid - b.docid);
  const buckets: AgreedBucket[] = [];
  const add = (own: readonly Near[]): void => {
    const { distance, value } = own[0]!;
    const similarity = distance === null ? null : similarityOf(distance, distribution);
    const detail = { kind: "vector" as const, target: Array.from(target.numbers), value, similarity };
    buckets.push({ docids: idsOf(own), detail });
  };
  for (let from = 0; from < near.length; ) {
    // Buckets do not reach from batch to batch.
    const most = Math.min(near.length, from + batch - (from % batch));
    let to = from + 1;
    while (to < most && near[to]!.distance === near[from]!.distance) to++;
    add(near.slice(from, to));
    from = to;
    if (from >= wanted) return buckets;
  }
  const rest = documents.filter(({ distance }) => distance === null);
  if (rest.length > 0) add(rest);
  return buckets;
}

function idsOf(documents: readonly Measured[]): number[] {
  return documents.map(({ docid }) => docid);
}

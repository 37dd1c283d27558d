/** What goes onto the page: documents in order, and what every rule said about them. */
import { isShownOnce } from "./host";
import { segmentAt, segmentCount } from "./index-of";
import { Hit, HitDetail, Request } from "./layout";
import { keep, mark, release, stack } from "./room";
import { SORT } from "./rules";
import { Docs, forget, listDocs } from "./sets";

/** Instead of a cost: time was up. */
export const SKIPPED: u32 = 0xffff_ffff;

const HIT_BYTES: usize = offsetof<Hit>();

export let hitCount: u32 = 0;
let request: Request = changetype<Request>(<usize>0);
let hitsAt: usize = 0;
let limit: u32 = 0;
/** A `HitDetail` for each level. */
let detailsAt: usize = 0;

export function openHits(asked: Request, count: u32): void {
  request = asked;
  limit = min(asked.limit, count);
  hitCount = 0;
  hitsAt = keep(<usize>limit * HIT_BYTES);
  asked.hits = <u32>hitsAt;
  detailsAt = keep((<usize>asked.ruleCount + 1) * offsetof<HitDetail>());
}

export function putDetail(level: u32, cost: u32, max: u32): void {
  const detail = changetype<HitDetail>(detailsOf(level));
  detail.cost = cost;
  detail.most = max;
}

/** What the rules from a level on said of the documents under way. */
export function detailsOf(level: u32): usize {
  return detailsAt + <usize>level * offsetof<HitDetail>();
}

/** Of the first rules. A later rank only divides what the earlier ones left equal; in 32 bits, as the interface defines it. */
export function score(levels: u32): f64 {
  let rank: u32 = 1;
  let all: u32 = 1;
  for (let level: u32 = 0; level < levels; level++) {
    const detail = changetype<HitDetail>(detailsOf(level));
    const cost = detail.cost;
    const most = detail.most;
    if (load<u8>(request.rules + level) === SORT && cost !== SKIPPED) continue;
    rank = (rank > 0 ? rank - 1 : 0) * most + (cost === SKIPPED ? 0 : most - cost);
    all *= most;
  }
  return <f64>rank / <f64>all;
}

/** Documents that no rule tells apart, in the order of their ids; with `toTheEnd` all of them count as shown. */
export function showDocs(docs: Docs, levels: u32, toTheEnd: bool): void {
  if ((hitCount >= limit && !toTheEnd) || docs.count === 0) return;
  const details = keep(4 + <usize>levels * offsetof<HitDetail>());
  store<u32>(details, levels);
  memory.copy(details + 4, detailsAt, <usize>levels * offsetof<HitDetail>());
  const before = mark();
  listDocs(docs);
  const next = stack((<usize>segmentCount) << 2);
  for (let i: u32 = 0; i < segmentCount; i++) store<u32>(next + ((<usize>i) << 2), docs.start(i));
  while (toTheEnd || hitCount < limit) {
    let lowest: u32 = 0xffff_ffff;
    let from: u32 = segmentCount;
    for (let i: u32 = 0; i < segmentCount; i++) {
      const p = load<u32>(next + ((<usize>i) << 2));
      if (p === docs.start(i + 1)) continue;
      const docid = load<u32>(segmentAt(i).docids + ((<usize>load<u32>(docs.list + ((<usize>p) << 2))) << 2));
      if (from !== segmentCount && docid > lowest) continue;
      lowest = docid;
      from = i;
    }
    if (from === segmentCount) break;
    const p = load<u32>(next + ((<usize>from) << 2));
    store<u32>(next + ((<usize>from) << 2), p + 1);
    const row = load<u32>(docs.list + ((<usize>p) << 2));
    if (request.isDistinct !== 0 && !isShownOnce(from, row)) continue;
    if (hitCount >= limit) continue;
    const hit = changetype<Hit>(hitsAt + <usize>hitCount * HIT_BYTES);
    hit.segment = from;
    hit.row = row;
    hit.docid = lowest;
    hit.details = <u32>details;
    hitCount++;
  }
  forget(docs, before);
  release(before);
}

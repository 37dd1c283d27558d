/**
 * A graph of near vectors in layers and the walk through it (HNSW: Malkov, Yashunin 2016, "Efficient and robust approximate
 * nearest neighbor search using Hierarchical Navigable Small World graphs"). All vectors with a
 * direction are in layer 0, about one in sixteen of a layer in the next. The image is words side by side:
 *
 *   0 vectors   1 layers above 0   2 where walks begin, in the top layer   3 vectors without direction, in no layer
 *   4 .. 18 nodes of layers 1, 2, ...                                      up to 32: zero
 *   layer 0:    LINKS_BELOW links a vector, NONE behind the last
 *   layer l:    vector of each node, ascending | its node in the layer below | LINKS_ABOVE links a node, to nodes
 *   vectors without direction
 */
import { isAllowed } from "./allowed";
import { dotFour, dotWide } from "./distance";
import { add, distanceOf, keep, keyOf, take } from "./heap";
import { FOURTH, SECOND, THIRD } from "./lanes";
import { Allowed, GRAPH_HEAD_WORDS, GraphWalk, LINKS_ABOVE, LINKS_BELOW } from "./layout";

export const NONE: u32 = u32.MAX_VALUE;

/** The first words of an image. */
@unmanaged
export class ImageHead {
  vectors: u32;
  /** Above 0. */
  layers: u32;
  /** Where walks begin, in the top layer. */
  entry: u32;
}

/** Where the nodes of a layer above 0 begin. */
export function layerAt(image: usize, layer: u32): usize {
  let at = image + 4 * (GRAPH_HEAD_WORDS + LINKS_BELOW * <usize>changetype<ImageHead>(image).vectors);
  for (let l: u32 = 1; l < layer; l++) at += 4 * (2 + LINKS_ABOVE) * <usize>nodesOf(image, l);
  return at;
}

export function nodesOf(image: usize, layer: u32): u32 {
  return layer === 0 ? changetype<ImageHead>(image).vectors : load<u32>(image + 4 * (3 + <usize>layer));
}

export function linksBelow(image: usize, vector: u32): usize {
  return image + 4 * (GRAPH_HEAD_WORDS + LINKS_BELOW * <usize>vector);
}

/** Links of a node of a layer above 0 that begins at `at` and has `nodes` of them. */
export function linksAbove(at: usize, nodes: u32, node: u32): usize {
  return at + 4 * (2 * <usize>nodes + LINKS_ABOVE * <usize>node);
}

/** Distance of a vector from the query, whose unit is the similarity of one unit of the sum of products. */
export function distanceTo(codes: usize, scales: usize, stride: usize, vector: u32, query: usize, unit: f32): f32 {
  const dot = dotWide(codes + stride * <usize>vector, query, stride);
  return max<f32>(0, <f32>2 - <f32>dot * unit * load<f32>(scales + 4 * <usize>vector));
}

/** The same for a list of vectors, four at a time: `list` has room for three more. Distances go to `out`. */
export function distancesTo(
  codes: usize,
  scales: usize,
  stride: usize,
  list: usize,
  count: usize,
  query: usize,
  unit: f32,
  out: usize,
): void {
  const last = load<u32>(list + 4 * count - 4);
  for (let i = count; i < ((count + 3) & ~3); i++) store<u32>(list + 4 * i, last);
  const units = f32x4.splat(unit);
  for (let i: usize = 0; i < count; i += 4) {
    const a = <usize>load<u32>(list + 4 * i);
    const b = <usize>load<u32>(list + 4 * i, SECOND);
    const c = <usize>load<u32>(list + 4 * i, THIRD);
    const d = <usize>load<u32>(list + 4 * i, FOURTH);
    const dots = dotFour(codes + stride * a, codes + stride * b, codes + stride * c, codes + stride * d, query, stride);
    let four = v128.load_splat<f32>(scales + 4 * a);
    four = v128.load_lane<f32>(scales + 4 * b, four, 1);
    four = v128.load_lane<f32>(scales + 4 * c, four, 2);
    four = v128.load_lane<f32>(scales + 4 * d, four, 3);
    const similarity = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(dots), units), four);
    v128.store(out + 4 * i, f32x4.max(f32x4.splat(0), f32x4.sub(f32x4.splat(2), similarity)));
  }
}

/** Goes to ever nearer nodes of one layer above 0 until none is nearer; returns that node. */
export function descend(
  image: usize,
  layer: u32,
  from: u32,
  codes: usize,
  scales: usize,
  stride: usize,
  query: usize,
  unit: f32,
): u32 {
  const at = layerAt(image, layer);
  const nodes = nodesOf(image, layer);
  let node = from;
  let next = from;
  let least = distanceTo(codes, scales, stride, load<u32>(at + 4 * <usize>node), query, unit);
  while (next !== NONE) {
    node = next;
    next = NONE;
    const links = linksAbove(at, nodes, node);
    for (let i: usize = 0; i < LINKS_ABOVE; i++) {
      const other = load<u32>(links + 4 * i);
      if (other === NONE) break;
      const distance = distanceTo(codes, scales, stride, load<u32>(at + 4 * <usize>other), query, unit);
      if (distance >= least) continue;
      least = distance;
      next = other;
    }
  }
  return node;
}

/** Marks an id; false when it was marked. */
export function mark(bits: usize, id: u32): bool {
  const at = bits + (id >> 3);
  const byte = load<u8>(at);
  const bit = (<u8>1) << (<u8>(id & 7));
  if ((byte & bit) !== 0) return false;
  store<u8>(at, byte | bit);
  return true;
}

/**
 * Looks for the vectors nearest to a query, at most `steps` nodes at a time; returns 0 when done, otherwise it is to be
 * called again.
 */
export function walkGraph(walk: GraphWalk, steps: u32): u32 {
  const image = <usize>walk.image;
  const codes = <usize>walk.codes;
  const scales = <usize>walk.scales;
  const stride = <usize>walk.stride;
  const query = <usize>walk.query;
  const unit = walk.unit;
  const wanted = walk.wanted;
  const rows = <usize>walk.rows;
  const marks = <usize>walk.marks;
  const ahead = <usize>walk.ahead;
  const capacity = walk.aheadCapacity;
  const found = <usize>walk.found;
  let waiting = walk.aheadSize;
  let size = walk.foundSize;
  const list = changetype<usize>(walk) + offsetof<GraphWalk>();
  const distances = list + 4 * LINKS_BELOW + 16;
  const allowed = changetype<Allowed>(changetype<usize>(walk) + offsetof<GraphWalk>("rows"));
  let asked: u8 = 0;
  let from = NONE;
  if (walk.begun === 0) {
    walk.begun = 1;
    memory.fill(marks, 0, (<usize>changetype<ImageHead>(image).vectors + 7) >> 3);
    from = changetype<ImageHead>(image).entry;
    if (from === NONE) return 0;
    for (let layer = changetype<ImageHead>(image).layers; layer > 0; layer--) {
      from = descend(image, layer, from, codes, scales, stride, query, unit);
      from = load<u32>(layerAt(image, layer) + 4 * (<usize>nodesOf(image, layer) + <usize>from));
    }
  }
  let limit: f32 = size < wanted ? Infinity : distanceOf(load<u64>(found));
  for (let step: u32 = 0; step < steps; step++) {
    let links: usize;
    let count: usize;
    if (from !== NONE) {
      // The first node is its own neighbour: it is looked at as all others are.
      store<u32>(distances, from);
      links = distances;
      count = 1;
      from = NONE;
    } else {
      if (waiting === 0) break;
      waiting--;
      const key = take(ahead, waiting);
      if (distanceOf(key) > limit) {
        waiting = 0;
        break;
      }
      links = linksBelow(image, <u32>key);
      count = LINKS_BELOW;
    }
    let fresh: usize = 0;
    for (let i: usize = 0; i < count; i++) {
      const vector = load<u32>(links + 4 * i);
      if (vector === NONE) break;
      if (!mark(marks, vector)) continue;
      store<u32>(list + 4 * fresh, vector);
      fresh++;
      // Asks for the bytes that will be wanted soon, so that memory is waited for once and not row by row.
      asked ^= load<u8>(codes + stride * <usize>vector);
    }
    if (fresh === 0) continue;
    distancesTo(codes, scales, stride, list, fresh, query, unit, distances);
    for (let i: usize = 0; i < fresh; i++) {
      const distance = load<f32>(distances + 4 * i);
      if (distance >= limit) continue;
      const vector = load<u32>(list + 4 * i);
      const key = keyOf(distance, vector);
      if (waiting < capacity) {
        add(ahead, waiting, key);
        waiting++;
      }
      if (rows !== 0 && !isAllowed(allowed, vector)) continue;
      size = keep(found, size, wanted, key);
      if (size === wanted) limit = distanceOf(load<u64>(found));
    }
  }
  // Kept so that the asking is not taken for idle.
  store<u8>(list, asked);
  walk.aheadSize = waiting;
  walk.foundSize = size;
  return waiting === 0 ? 0 : 1;
}

/**
 * Builds a graph, one vector after the other: each is linked with near ones found by a walk through what is there
 * already, chosen so that they lie in different directions. Vectors come in an order that jumps through all of them,
 * so that neighbours in the segment do not come together.
 */
import { dotCodes, widen } from "./distance";
import {
  descend,
  distancesTo,
  distanceTo,
  ImageHead,
  layerAt,
  linksAbove,
  linksBelow,
  mark,
  NONE,
  nodesOf,
} from "./graph";
import { add, distanceOf, keep, keyOf, sorted, take } from "./heap";
import { GRAPH_JOB_AHEAD, GRAPH_JOB_KEYS, GraphJob, LINKS_ABOVE, LINKS_BELOW } from "./layout";

/** Layers above 0 that a vector is in: one in sixteen of those of the layer below. */
export function layersOf(vector: u32): u32 {
  let hash = (vector + 1) * 0x9e3779b1;
  hash ^= hash >> 15;
  hash *= 0x85ebca77;
  hash ^= hash >> 13;
  return hash === 0 ? 7 : ctz<u32>(hash) >> 2;
}

/** Goes on for `count` vectors; returns how many are left. */
export function buildGraph(job: GraphJob, count: u32): u32 {
  const image = <usize>job.image;
  const vectors = changetype<ImageHead>(image).vectors;
  const step = job.step;
  let left = job.left;
  let vector = job.next;
  for (let i: u32 = 0; i < count && left > 0; i++) {
    if (load<f32>(<usize>job.scales + 4 * <usize>vector) !== 0) insert(job, vector);
    vector += step;
    if (vector >= vectors) vector -= vectors;
    left--;
  }
  job.left = left;
  job.next = vector;
  return left;
}

function insert(job: GraphJob, vector: u32): void {
  const image = <usize>job.image;
  const codes = <usize>job.codes;
  const scales = <usize>job.scales;
  const stride = <usize>job.stride;
  const query = <usize>job.wide;
  const top = job.topLayer;
  const own = min(layersOf(vector), changetype<ImageHead>(image).layers);
  if (top === NONE) {
    job.topLayer = own;
    job.topNode = nodeOf(image, own, vector);
    return;
  }
  widen(codes + stride * <usize>vector, query, stride);
  const unit = load<f32>(scales + 4 * <usize>vector);
  let node = job.topNode;
  for (let layer = top; layer > own; layer--) {
    node = descend(image, layer, node, codes, scales, stride, query, unit);
    node = below(image, layer, node);
  }
  for (let layer = min(top, own) + 1; layer-- > 0; ) {
    const size = gather(job, layer, node, unit);
    const found = <usize>job.found;
    sorted(found, size);
    const nearest = <u32>load<u64>(found);
    connect(job, layer, nodeOf(image, layer, vector), size);
    if (layer > 0) node = below(image, layer, nearest);
  }
  if (own > top) {
    job.topLayer = own;
    job.topNode = nodeOf(image, own, vector);
  }
}

/** The node of a vector in a layer that it is in. */
function nodeOf(image: usize, layer: u32, vector: u32): u32 {
  if (layer === 0) return vector;
  const at = layerAt(image, layer);
  let low: u32 = 0;
  let high = nodesOf(image, layer);
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(at + 4 * <usize>middle) <= vector) low = middle;
    else high = middle;
  }
  return low;
}

function below(image: usize, layer: u32, node: u32): u32 {
  return load<u32>(layerAt(image, layer) + 4 * (<usize>nodesOf(image, layer) + <usize>node));
}

function linksOf(image: usize, layer: u32, at: usize, node: u32): usize {
  return layer === 0 ? linksBelow(image, node) : linksAbove(at, nodesOf(image, layer), node);
}

function vectorOf(layer: u32, at: usize, node: u32): u32 {
  return layer === 0 ? node : load<u32>(at + 4 * <usize>node);
}

/** Fills `found` with the nodes of a layer nearest to the query, from one of them on; returns how many. */
function gather(job: GraphJob, layer: u32, from: u32, unit: f32): u32 {
  const image = <usize>job.image;
  const codes = <usize>job.codes;
  const scales = <usize>job.scales;
  const stride = <usize>job.stride;
  const wanted = job.looked;
  const query = <usize>job.wide;
  const marks = <usize>job.marks;
  const ahead = <usize>job.ahead;
  const found = <usize>job.found;
  const at: usize = layer === 0 ? 0 : layerAt(image, layer);
  const width = layer === 0 ? LINKS_BELOW : LINKS_ABOVE;
  const capacity: u32 = GRAPH_JOB_AHEAD * wanted;
  memory.fill(marks, 0, (<usize>nodesOf(image, layer) + 7) >> 3);
  mark(marks, from);
  const list = <usize>job.room;
  const distances = list + 4 * LINKS_BELOW + 16;
  const nodes = distances + 4 * LINKS_BELOW + 16;
  const first = keyOf(distanceTo(codes, scales, stride, vectorOf(layer, at, from), query, unit), from);
  store<u64>(ahead, first);
  store<u64>(found, first);
  let waiting: u32 = 1;
  let size: u32 = 1;
  let limit: f32 = Infinity;
  while (waiting > 0) {
    waiting--;
    const key = take(ahead, waiting);
    if (distanceOf(key) > limit) break;
    const links = linksOf(image, layer, at, <u32>key);
    let fresh: usize = 0;
    for (let i: usize = 0; i < width; i++) {
      const node = load<u32>(links + 4 * i);
      if (node === NONE) break;
      if (!mark(marks, node)) continue;
      store<u32>(nodes + 4 * fresh, node);
      store<u32>(list + 4 * fresh, vectorOf(layer, at, node));
      fresh++;
    }
    if (fresh === 0) continue;
    distancesTo(codes, scales, stride, list, fresh, query, unit, distances);
    for (let i: usize = 0; i < fresh; i++) {
      const far = load<f32>(distances + 4 * i);
      if (far >= limit) continue;
      const next = keyOf(far, load<u32>(nodes + 4 * i));
      if (waiting < capacity) {
        add(ahead, waiting, next);
        waiting++;
      }
      size = keep(found, size, wanted, next);
      if (size === wanted) limit = distanceOf(load<u64>(found));
    }
  }
  return size;
}

/**
 * Of `size` keys, nearest first, moves to the front those that are nearer to the middle than to any before them: at
 * most `wanted`, and no fewer than there are unless they are crowded out. Returns how many.
 */
function spread(job: GraphJob, layer: u32, at: usize, keys: usize, size: u32, wanted: u32): u32 {
  const codes = <usize>job.codes;
  const scales = <usize>job.scales;
  const stride = <usize>job.stride;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < size && kept < wanted; i++) {
    const key = load<u64>(keys + 8 * <usize>i);
    const vector = vectorOf(layer, at, <u32>key);
    const row = codes + stride * <usize>vector;
    const scale = load<f32>(scales + 4 * <usize>vector);
    const far = distanceOf(key);
    let isFree = true;
    for (let k: u32 = 0; k < kept; k++) {
      const other = vectorOf(layer, at, load<u32>(keys + 8 * <usize>k));
      const dot = dotCodes(row, codes + stride * <usize>other, stride);
      if (<f32>2 - <f32>dot * scale * load<f32>(scales + 4 * <usize>other) < far) {
        isFree = false;
        break;
      }
    }
    if (!isFree) continue;
    store<u64>(keys + 8 * <usize>kept, key);
    kept++;
  }
  return kept;
}

/** Links a new node with the best of `found`, which is in order, and those with it. */
function connect(job: GraphJob, layer: u32, node: u32, size: u32): void {
  const image = <usize>job.image;
  const found = <usize>job.found;
  const at: usize = layer === 0 ? 0 : layerAt(image, layer);
  const width = layer === 0 ? LINKS_BELOW : LINKS_ABOVE;
  const count = spread(job, layer, at, found, size, <u32>LINKS_ABOVE);
  const links = linksOf(image, layer, at, node);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(found + 8 * <usize>i);
    store<u32>(links + 4 * <usize>i, <u32>key);
    linkBack(job, layer, at, <u32>key, keyOf(distanceOf(key), node), width);
  }
}

/** Adds a link to a node; one that has too many keeps those that are spread best. */
function linkBack(job: GraphJob, layer: u32, at: usize, node: u32, key: u64, width: usize): void {
  const image = <usize>job.image;
  const links = linksOf(image, layer, at, node);
  let count: usize = 0;
  while (count < width && load<u32>(links + 4 * count) !== NONE) count++;
  if (count < width) {
    store<u32>(links + 4 * count, <u32>key);
    return;
  }
  const codes = <usize>job.codes;
  const scales = <usize>job.scales;
  const stride = <usize>job.stride;
  const query = <usize>job.otherWide;
  const keys = <usize>job.keys;
  const vector = vectorOf(layer, at, node);
  const unit = load<f32>(scales + 4 * <usize>vector);
  widen(codes + stride * <usize>vector, query, stride);
  const list = <usize>job.room;
  const distances = list + 4 * LINKS_BELOW + 16;
  for (let i: usize = 0; i < width; i++) store<u32>(list + 4 * i, vectorOf(layer, at, load<u32>(links + 4 * i)));
  distancesTo(codes, scales, stride, list, width, query, unit, distances);
  let size: u32 = keep(keys, 0, GRAPH_JOB_KEYS, key);
  for (let i: usize = 0; i < width; i++) {
    size = keep(keys, size, GRAPH_JOB_KEYS, keyOf(load<f32>(distances + 4 * i), load<u32>(links + 4 * i)));
  }
  sorted(keys, size);
  const kept = spread(job, layer, at, keys, size, <u32>width);
  for (let i: u32 = 0; i < <u32>width; i++) {
    store<u32>(links + 4 * <usize>i, i < kept ? load<u32>(keys + 8 * <usize>i) : NONE);
  }
}

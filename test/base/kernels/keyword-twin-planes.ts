/** The plain twins of the kernels for costs and distances. */
import { NO_COST, type PlaneKernels } from "../../../src/base/kernels/keyword/kernels.ts";
import type { Views } from "./keyword-twin.ts";

const FAR = 4;

export function planeTwin(views: Views): PlaneKernels {
  const { u8 } = views;
  const lower = (plane: number, p: number, cost: number): void => {
    if (cost < views.u16(plane, p)) views.setU16(plane, p, cost);
  };
  const placesOf = (begins: number, ends: number, places: number, p: number): number[] =>
    views.span(places, views.u32(begins, p), views.u32(ends, p));
  const pick = (best: number, n: number, cost: number, below: number, positions: number): number => {
    const found = positionsBelow(n).filter((p) => views.u16(best, p) >= cost && views.u16(best, p) < below);
    views.setList(positions, found);
    return found.length;
  };
  return {
    planeFill(plane, n, value) {
      for (let p = 0; p < n; p++) views.setU16(plane, p, value);
    },
    planeSetWhere(bits, list, n, cost, plane) {
      for (let p = 0; p < n; p++) if (views.has(bits, views.u32(list, p))) views.setU16(plane, p, cost);
    },
    planeSetWhereUnset(bits, list, n, cost, plane) {
      let count = 0;
      for (let p = 0; p < n; p++) {
        if (!views.has(bits, views.u32(list, p)) || views.u16(plane, p) !== NO_COST) continue;
        views.setU16(plane, p, cost);
        count++;
      }
      return count;
    },
    planeAdd(total, plane, n) {
      for (let p = 0; p < n; p++) {
        views.setU16(total, p, Math.min(NO_COST, views.u16(total, p) + views.u16(plane, p)));
      }
    },
    planeTake(best, total, chosen, path, n) {
      for (let p = 0; p < n; p++) {
        if (views.u16(total, p) >= views.u16(best, p)) continue;
        views.setU16(best, p, views.u16(total, p));
        views.setU16(chosen, p, path);
      }
    },
    planeCounts(best, n, max, counts) {
      for (let p = 0; p < n; p++) {
        const cost = Math.min(max, views.u16(best, p));
        views.setU32(counts, cost, views.u32(counts, cost) + 1);
      }
    },
    planePick: (best, n, cost, positions) => pick(best, n, cost, cost + 1, positions),
    planePickFrom: pick,
    listPick(list, positions, k, out) {
      for (let i = 0; i < k; i++) views.setU32(out, i, views.u32(list, views.u32(positions, i)));
    },
    planeUsed(chosen, positions, k, used) {
      for (const p of views.list(positions, k)) u8[used + views.u16(chosen, p)] = 1;
    },
    signatureAdd(signatures, plane, positions, k, base) {
      for (let i = 0; i < k; i++) {
        const choice = views.u16(plane, views.u32(positions, i)) - base;
        views.setU32(signatures, i, views.u32(signatures, i) * 4 + choice);
      }
    },
    distinct(values, k, out, capacity) {
      const found = [...new Set(views.list(values, k))].slice(0, capacity);
      views.setList(out, found);
      return found.length;
    },
    near(aBegins, aEnds, aPlaces, bBegins, bEnds, bPlaces, n, more, base, plane) {
      for (let p = 0; p < n; p++) {
        let nearest = FAR;
        for (const a of placesOf(aBegins, aEnds, aPlaces, p)) {
          for (const b of placesOf(bBegins, bEnds, bPlaces, p)) {
            if (a >>> 16 === b >>> 16 && b > a) nearest = Math.min(nearest, b - a);
          }
        }
        if (nearest + more < FAR) lower(plane, p, base + nearest + more - 1);
      }
    },
    nearInField(aBegins, aEnds, aPlaces, bBegins, bEnds, bPlaces, n, marks, base, plane) {
      for (let p = 0; p < n; p++) {
        const fields = new Set(placesOf(aBegins, aEnds, aPlaces, p).map((place) => place >>> 16));
        const shared = placesOf(bBegins, bEnds, bPlaces, p).filter((place) => fields.has(place >>> 16));
        if (shared.some((place) => marks === 0 || u8[marks + (place >>> 16)] === 1)) lower(plane, p, base);
      }
    },
  };
}

function positionsBelow(n: number): number[] {
  return Array.from({ length: n }, (_, p) => p);
}

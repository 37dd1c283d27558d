/**
 * The plane of the call under way, in which costs are lowered, and what costs are made of: weights of fields, steps of
 * positions.
 */
import { bucketOf } from "./places";

/** In planes and weights: no match. */
export const NO_COST: u32 = 65_535;

let planeAt: usize = 0;
let weightsAt: usize = 0;
let factorOf: u32 = 0;
let stepsAt: usize = 0;

export function usePlane(plane: usize): void {
  planeAt = plane;
}

export function useWeights(weights: usize, factor: u32, plane: usize): void {
  weightsAt = weights;
  factorOf = factor;
  planeAt = plane;
}

export function useSteps(steps: usize, plane: usize): void {
  stepsAt = steps;
  planeAt = plane;
}

class Costs {
  @inline
  at(position: u32): u32 {
    return load<u16>(planeAt + ((<usize>position) << 1));
  }

  @inline
  set(position: u32, cost: u32): void {
    store<u16>(planeAt + ((<usize>position) << 1), <u16>cost);
  }

  /** Weight of a field, or of a set of them. */
  @inline
  weightOf(field: u32): u32 {
    return load<u16>(weightsAt + ((<usize>field) << 1));
  }

  @inline
  lower(position: u32, cost: u32): void {
    if (cost < this.at(position)) this.set(position, cost);
  }

  @inline
  lowerByWeight(position: u32, weight: u32): void {
    if (weight !== NO_COST) this.set(position, min<u32>(this.at(position), weight * factorOf));
  }

  /** Of a position in a field. */
  @inline
  stepOf(position: u32): u32 {
    return load<u8>(stepsAt + bucketOf(position));
  }
}

export const costs = changetype<Costs>(<usize>0);

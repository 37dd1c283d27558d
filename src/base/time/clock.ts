/** A clock that all threads of the process share, for times that travel with a request. */

/** Milliseconds, monotonic, from an arbitrary beginning. `performance.now()` begins anew in every thread. */
export function clockMs(): number {
  return performance.now() + threadBegan;
}

const threadBegan = Number(process.hrtime.bigint()) / 1e6 - performance.now();

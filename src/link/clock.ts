/** A clock that all threads of the process share, for times that travel with a request. */

/** Milliseconds, monotonic, from an arbitrary beginning. `performance.now()` begins anew in every thread. */
export function clockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

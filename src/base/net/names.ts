/**
 * What names mean. A process looks up two at a time, and what a caller gives up on stays in line: where names are found slowly or not at all,
 * callers that ask again and again would make a line without end. So a name is in it once, for all that ask for it, and there is a bound.
 */
import type { LookupAddress, LookupAllOptions, LookupOptions } from "node:dns";
import { builtIn } from "./built-in.ts";

const WAITING_MAX = 256;

export class Names {
  readonly #asked = new Map<string, Promise<LookupAddress[]>>();

  /** Rejects for a name that is not known, or while too many others are looked up. */
  addresses(hostname: string, options: LookupOptions = {}): Promise<LookupAddress[]> {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    if (this.#asked.size >= WAITING_MAX) {
      return Promise.reject(new Error(`\`${hostname}\` is not looked up: too many other names are`));
    }
    const found = lookUp(hostname, { ...options, all: true }).finally(() => this.#asked.delete(key));
    this.#asked.set(key, found);
    return found;
  }
}

function lookUp(hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    builtIn("node:dns").lookup(hostname, options, (problem, addresses) => {
      if (problem === null) resolve(addresses);
      else reject(problem);
    });
  });
}

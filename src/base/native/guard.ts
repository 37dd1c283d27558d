/**
 * Stands before the one way by which compiled code comes into a thread: nothing is loaded that `admission.ts` does not let
 * in. Every thread of the server imports this before anything else.
 */
import { admit } from "./admission.ts";
import { whileLoading } from "./loading.ts";

const GUARDED = Symbol.for("sabre-search/guarded");

if (!(GUARDED in process.dlopen)) {
  const load = process.dlopen;
  const guarded = (...args: Parameters<typeof load>): void => {
    admit(args[1]);
    whileLoading(() => Reflect.apply(load, process, args));
  };
  Object.defineProperty(process, "dlopen", {
    value: Object.assign(guarded, { [GUARDED]: true }),
    enumerable: true,
    writable: false,
    configurable: false,
  });
}

/** Brings compiled kernels to life over a memory: compiled once a thread, instantiated once a memory. */
import { Buffer } from "node:buffer";

type AnyMemory = WebAssembly.Memory | WebAssembly.Memory<ArrayBuffer>;

const compiled = new Map<string, WebAssembly.Module>();
const instances = new WeakMap<AnyMemory, Map<string, unknown>>();

/**
 * The exported functions of a module, given as base64, working on `memory`. `host`: functions that it calls; those of the
 * first call for a memory stay.
 */
export function kernelsOver<Exports>(base64: string, memory: AnyMemory, host: Record<string, unknown> = {}): Exports {
  let ofMemory = instances.get(memory);
  if (ofMemory === undefined) {
    ofMemory = new Map();
    instances.set(memory, ofMemory);
  }
  let exports = ofMemory.get(base64) as Exports | undefined;
  if (exports === undefined) {
    let module = compiled.get(base64);
    if (module === undefined) {
      module = new WebAssembly.Module(Buffer.from(base64, "base64"));
      compiled.set(base64, module);
    }
    exports = new WebAssembly.Instance(module, { env: { memory }, host }).exports as Exports;
    ofMemory.set(base64, exports);
  }
  return exports;
}

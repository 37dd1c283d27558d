/** Brings compiled kernels to life over a memory: compiled once a thread, instantiated once a memory. */
import { Buffer } from "node:buffer";

type AnyMemory = WebAssembly.Memory | WebAssembly.Memory<ArrayBuffer>;

const compiled = new Map<string, WebAssembly.Module>();
const instances = new WeakMap<AnyMemory, Map<string, unknown>>();

/**
 * The exported functions of a module, given as base64, working on `memory`. `calls`: functions that it calls, by the file
 * that declares them; those of the first call for a memory stay.
 */
export function kernelsOver<Exports>(
  base64: string,
  memory: AnyMemory,
  calls: Record<string, Record<string, unknown>> = {},
): Exports {
  let ofMemory = instances.get(memory);
  if (ofMemory === undefined) {
    ofMemory = new Map();
    instances.set(memory, ofMemory);
  }
  let exports = ofMemory.get(base64) as Exports | undefined;
  if (exports === undefined) {
    exports = new WebAssembly.Instance(compile(base64), { ...calls, env: { memory } }).exports as Exports;
    ofMemory.set(base64, exports);
  }
  return exports;
}

/** A module that will be needed had better be compiled before somebody waits for it; threads share what it is compiled to. */
export function compile(base64: string): WebAssembly.Module {
  let module = compiled.get(base64);
  if (module === undefined) {
    module = new WebAssembly.Module(Buffer.from(base64, "base64"));
    compiled.set(base64, module);
  }
  return module;
}

/** Brings compiled kernels to life over a memory: compiled once a thread, instantiated once a memory. */
import { Buffer } from "node:buffer";
import { setFlagsFromString } from "node:v8";

type AnyMemory = WebAssembly.Memory | WebAssembly.Memory<ArrayBuffer>;

/**
 * `quickly`: the engine has code at once and makes it better where much time is spent, for what is called again and again
 * and may be wanted right after the start. `well`: all of it is compiled as well as can be before the first call, for what
 * works on megabytes in one call, which code that gets better meanwhile would not help.
 */
type Compiled = "quickly" | "well";

const modules = new Map<string, WebAssembly.Module>();
const instances = new WeakMap<AnyMemory, Map<string, unknown>>();

/**
 * The exported functions of a module, given as base64, working on `memory`. `calls`: functions that it calls, by the file
 * that declares them; those of the first call for a memory stay.
 */
export function kernelsOver<Exports>(
  base64: string,
  memory: AnyMemory,
  calls: Record<string, Record<string, unknown>> = {},
  compiled: Compiled = "quickly",
): Exports {
  let ofMemory = instances.get(memory);
  if (ofMemory === undefined) {
    ofMemory = new Map();
    instances.set(memory, ofMemory);
  }
  let exports = ofMemory.get(base64) as Exports | undefined;
  if (exports === undefined) {
    exports = new WebAssembly.Instance(compileKernels(base64, compiled), { ...calls, env: { memory } })
      .exports as Exports;
    ofMemory.set(base64, exports);
  }
  return exports;
}

/** Threads share what a module is compiled to. */
export function compileKernels(base64: string, compiled: Compiled = "quickly"): WebAssembly.Module {
  let module = modules.get(base64);
  if (module === undefined) {
    const bytes = Buffer.from(base64, "base64");
    module = compiled === "well" ? compileWell(bytes) : new WebAssembly.Module(bytes);
    modules.set(base64, module);
  }
  return module;
}

/**
 * Flags are of the whole process, and set for the moment only: with others than it was built with, the engine takes none of
 * the code that Node brings along for its own modules, and every thread would start later.
 */
function compileWell(bytes: Buffer): WebAssembly.Module {
  // Some versions take the last one for implied by the first, and do not take it back.
  const flags = ["liftoff", "wasm-lazy-compilation", "wasm-dynamic-tiering"];
  // V8 14 inlines by counts of calls that only the quick compiler takes, and ends the process where there are none.
  if (Number.parseInt(process.versions.v8, 10) >= 14) flags.push("wasm-inlining");
  for (const flag of flags) setFlagsFromString(`--no-${flag}`);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of flags) setFlagsFromString(`--${flag}`);
  }
}

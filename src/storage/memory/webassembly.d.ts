/** The part of the WebAssembly interface the server uses; the Node types of this version do not describe it. */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    initial: number;
    maximum?: number;
    shared?: boolean;
  }

  /** Shared unless it says otherwise. */
  class Memory<Bytes extends ArrayBufferLike = SharedArrayBuffer> {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: Bytes;
    /** Returns the number of pages before. */
    grow(pages: number): number;
  }

  class Module {
    constructor(bytes: Uint8Array);
  }

  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: unknown;
  }

  /** Thrown when compiled code traps. */
  class RuntimeError extends Error {}
}

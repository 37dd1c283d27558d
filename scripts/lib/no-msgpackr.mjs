// Stands for msgpackr in the bundles. lmdb loads it for stores whose values are objects; ours are bytes, in every store, so
// what would be 70 kB to load in two threads of every start is never called.
export class Encoder {
  constructor() {
    throw new Error("values of the store are bytes");
  }
}

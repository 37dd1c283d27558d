/** A growing list of [start, end) offsets, kept flat: what a payload's documents are found by. */
export class RangeList {
  private offsets = new Uint32Array(64);
  private used = 0;

  push(start: number, end: number): void {
    if (this.used === this.offsets.length) {
      const grown = new Uint32Array(this.used * 2);
      grown.set(this.offsets);
      this.offsets = grown;
    }
    this.offsets[this.used++] = start;
    this.offsets[this.used++] = end;
  }

  get isEmpty(): boolean {
    return this.used === 0;
  }

  finish(): Uint32Array {
    return this.offsets.slice(0, this.used);
  }
}

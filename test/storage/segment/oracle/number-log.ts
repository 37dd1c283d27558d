/** A log of bytes that takes numbers, too. */
import { ByteLog } from "../../../../src/storage/segment/byte-log.ts";

export class NumberLog extends ByteLog {
  /** Little-endian base 128, for values below 2^32. */
  varint(value: number): void {
    this.room(5);
    const bytes = this.bytes;
    let at = this.at;
    while (value >= 0x80) {
      bytes[at++] = value | 0x80;
      value >>>= 7;
    }
    bytes[at++] = value;
    this.at = at;
  }

  u32(value: number): void {
    this.room(4);
    const { bytes, at } = this;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
    this.at = at + 4;
  }
}

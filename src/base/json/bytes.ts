/**
 * A growable writer of bytes: how documents, payloads and answers are put together.
 * It only appends; it never interprets what it holds.
 */

const encoder = new TextEncoder();

/** Below this many UTF-16 units a plain loop beats the call into the native encoder. */
const SHORT_TEXT_UNITS = 48;

/**
 * @example
 * const sink = new ByteSink();
 * sink.ascii('{"id":');
 * sink.ascii("1}");
 * sink.view(); // bytes of {"id":1}, valid until the next write
 */
export class ByteSink {
  /** Room for more than `length` bytes; replaced when it grows. */
  buffer: Uint8Array;
  length = 0;

  constructor(capacityBytes = 1024) {
    this.buffer = new Uint8Array(Math.max(16, capacityBytes));
  }

  reset(): void {
    this.length = 0;
  }

  /** Makes room for `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }

  byte(value: number): void {
    if (this.length === this.buffer.length) this.reserve(1);
    this.buffer[this.length++] = value;
  }

  /** Appends `source[start, end)`. */
  bytes(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start;
    if (count <= 0) return;
    this.reserve(count);
    if (count < 24) {
      const buffer = this.buffer;
      let at = this.length;
      for (let i = start; i < end; i++) buffer[at++] = source[i]!;
    } else {
      this.buffer.set(count === source.length ? source : source.subarray(start, end), this.length);
    }
    this.length += count;
  }

  /** `text` must hold only code units below 128. */
  ascii(text: string): void {
    const count = text.length;
    this.reserve(count);
    const buffer = this.buffer;
    let at = this.length;
    for (let i = 0; i < count; i++) buffer[at++] = text.charCodeAt(i);
    this.length = at;
  }

  utf8(text: string): void {
    this.reserve(text.length);
    let done = 0;
    if (text.length <= SHORT_TEXT_UNITS) {
      const buffer = this.buffer;
      let at = this.length;
      for (; done < text.length; done++) {
        const unit = text.charCodeAt(done);
        if (unit >= 0x80) break;
        buffer[at++] = unit;
      }
      this.length = at;
      if (done === text.length) return;
    }
    // Most text is ASCII, so room for that is tried first; the rest, if any, gets three bytes a unit.
    let rest = done === 0 ? text : text.slice(done);
    const { read, written } = encoder.encodeInto(rest, this.buffer.subarray(this.length));
    this.length += written;
    if (read === rest.length) return;
    rest = rest.slice(read);
    this.reserve(rest.length * 3);
    this.length += encoder.encodeInto(rest, this.buffer.subarray(this.length)).written;
  }

  /** Unsigned LEB128, up to 2^53 - 1. */
  varint(value: number): void {
    this.reserve(8);
    const buffer = this.buffer;
    let at = this.length;
    while (value >= 0x80) {
      buffer[at++] = (value & 0x7f) | 0x80;
      value = value > 0x7fffffff ? Math.floor(value / 0x80) : value >>> 7;
    }
    buffer[at++] = value;
    this.length = at;
  }

  /** Little-endian. */
  u32(value: number): void {
    this.reserve(4);
    const buffer = this.buffer;
    const at = this.length;
    buffer[at] = value;
    buffer[at + 1] = value >>> 8;
    buffer[at + 2] = value >>> 16;
    buffer[at + 3] = value >>> 24;
    this.length = at + 4;
  }

  /** What was written so far, without a copy: valid until the next write. */
  view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** What was written so far, as a copy of its own. */
  copy(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }
}

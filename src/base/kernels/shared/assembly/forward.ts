/** How the words of rows are written, as `storage/segment/forward/format.ts` describes: in three bytes each, or in four. */
export const NARROW_BYTES: u32 = 3;
export const NARROW_ORDINALS_MAX: u32 = 0x1f_c000;
export const NARROW_GAP_BITS: u32 = 3;
export const NARROW_LAST_CODE: u32 = 7;
export const NARROW_LAST_GAP: u32 = 8;
export const NARROW_FIELD: u32 = 0xfe_0000;
export const NARROW_POSITION: u32 = 0xff_0000;

export const WIDE_BYTES: u32 = 4;
export const WIDE_ORDINALS_MAX: u32 = 0xfe_0000;
export const WIDE_GAP_BITS: u32 = 8;
export const WIDE_LAST_CODE: u32 = 255;
export const WIDE_FIELD: u32 = 0xfe00_0000;
export const WIDE_POSITION: u32 = 0xff00_0000;

export const VALUE_MASK: u32 = 0xffff;

/** What there is to know about words of three bytes. */
export class Narrow {
  @inline
  get bytes(): usize {
    return NARROW_BYTES;
  }

  @inline
  gap(word: u32): u32 {
    const code = word & NARROW_LAST_CODE;
    return select<u32>(NARROW_LAST_GAP, code, code === NARROW_LAST_CODE);
  }

  @inline
  gaps(four: v128): v128 {
    const last = i32x4.splat(NARROW_LAST_CODE);
    const codes = v128.and(four, last);
    // True is minus one: the last gap is one more than its code.
    return i32x4.sub(codes, i32x4.eq(codes, last));
  }

  @inline
  get field(): u32 {
    return NARROW_FIELD;
  }

  @inline
  get position(): u32 {
    return NARROW_POSITION;
  }

  @inline
  get gapBits(): u32 {
    return NARROW_GAP_BITS;
  }

  @inline
  one(at: usize): u32 {
    return load<u32>(at) & 0xff_ffff;
  }

  @inline
  four(at: usize): v128 {
    return i8x16.swizzle(v128.load(at), i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
  }
}

/** The same about words of four. */
export class Wide {
  @inline
  get bytes(): usize {
    return WIDE_BYTES;
  }

  @inline
  gap(word: u32): u32 {
    return word & WIDE_LAST_CODE;
  }

  @inline
  gaps(four: v128): v128 {
    return v128.and(four, i32x4.splat(WIDE_LAST_CODE));
  }

  @inline
  get field(): u32 {
    return WIDE_FIELD;
  }

  @inline
  get position(): u32 {
    return WIDE_POSITION;
  }

  @inline
  get gapBits(): u32 {
    return WIDE_GAP_BITS;
  }

  @inline
  one(at: usize): u32 {
    return load<u32>(at);
  }

  @inline
  four(at: usize): v128 {
    return v128.load(at);
  }
}

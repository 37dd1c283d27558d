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

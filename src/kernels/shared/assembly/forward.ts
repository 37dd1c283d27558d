/** How the words of rows are written, as `segment/forward/format.ts` describes. */
export const ORDINALS_MAX: u32 = 0xfe_0000;
export const GAP_BITS: u32 = 8;
export const GAP_MAX: u32 = 0xff;
export const FIELD: u32 = 0xfe00_0000;
export const POSITION: u32 = 0xff00_0000;
export const VALUE_MASK: u32 = 0xffff;

/** Where a term stands; as one number of 64 bits, those of one row order by place. */
@unmanaged
export class Occurrence {
  row: u32;
  /** field << 16 | position */
  place: u32;
}

export const OCCURRENCE_BYTES: usize = offsetof<Occurrence>();

export function rowOf(at: usize): u32 {
  return changetype<Occurrence>(at).row;
}

export function placeOf(at: usize): u32 {
  return changetype<Occurrence>(at).place;
}

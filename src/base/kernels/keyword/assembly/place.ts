/** Where a word stands: as one number of 32 bits, places order by field, then by position. */
@unmanaged
export class Place {
  position: u16;
  field: u16;
}

export function fieldOf(place: usize): u32 {
  return changetype<Place>(place).field;
}

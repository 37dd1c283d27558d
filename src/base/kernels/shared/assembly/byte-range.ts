/** Where something begins and ends; of offsets that stand side by side, one and the next. */
@unmanaged
export class ByteRange {
  start: u32;
  end: u32;
}

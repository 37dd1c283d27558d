/** Structs that these kernels write and their callers read. All fields are u32. */

/** Terms side by side: the number of the first, and of the one behind the last. */
@unmanaged
export class Range {
  first: u32;
  end: u32;
}

/** Terms side by side that are as far from a word. */
@unmanaged
export class Near {
  first: u32;
  end: u32;
  distance: u32;
}

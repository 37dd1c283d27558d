/**
 * The engine copies into and out of shared memory eight bytes at a time where both places are as far from a multiple of eight,
 * and byte by byte elsewhere, which takes twice as long for an answer of ten kilobytes.
 */
export const COPY_ALIGNMENT = 8;

export function aligned(bytes: number): number {
  return (bytes + COPY_ALIGNMENT - 1) & -COPY_ALIGNMENT;
}

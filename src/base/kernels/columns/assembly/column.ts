/**
 * The column of the call under way, handed on as one, and where the codes of a row are. Loops hold what they need of it
 * in locals.
 */

export let codesAt: usize = 0;
/** 0 where every row has one code. */
export let startsAt: usize = 0;
/** Rows that have codes, 0 for all. */
export let listAt: usize = 0;
export let slotCount: u32 = 0;

export function useColumn(codes: usize, starts: usize, list: usize, slots: u32): void {
  codesAt = codes;
  startsAt = starts;
  listAt = list;
  slotCount = slots;
}

export function codeAt<T>(codes: usize, at: u32): u32 {
  return <u32>load<T>(codes + <usize>at * sizeof<T>());
}

/** From where a list of a slot begins to where that of the next does, in bytes. */
export const NEXT: usize = 4;

export function firstOf(starts: usize, slot: u32): u32 {
  return starts === 0 ? slot : load<u32>(starts + ((<usize>slot) << 2));
}

export function endOf(starts: usize, slot: u32): u32 {
  return starts === 0 ? slot + 1 : load<u32>(starts + ((<usize>slot) << 2), NEXT);
}

export function rowOf(list: usize, slot: u32): u32 {
  return load<u32>(list + ((<usize>slot) << 2));
}

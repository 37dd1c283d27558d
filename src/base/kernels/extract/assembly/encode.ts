/** Writes the terms that documents gave, one after the other in byte order. */
import { occurrencesMax, pairs, termAt, termCount } from "./pairs";
import { addTerm, closeTermWriter, hasRoomFor, openTermWriter, written } from "./term-writer";

let nextPair: usize = 0;

export function openEncoder(rows: u32): void {
  openTermWriter(rows, occurrencesMax);
  nextPair = pairs;
}

/** Writes terms until an output is full; false when there are no more. */
export function encodeTerms(): bool {
  while (written < termCount) {
    const term = termAt(written);
    if (!hasRoomFor(term.value)) return true;
    const end = nextPair + ((<usize>term.value) << 3);
    addTerm(term.bytes, term.length, nextPair, end);
    nextPair = end;
  }
  closeTermWriter();
  return false;
}

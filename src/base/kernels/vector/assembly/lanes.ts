/** Four numbers of 32 bits side by side: where the others are, counted from the first. */
export const SECOND: usize = 4;
export const THIRD: usize = 8;
export const FOURTH: usize = 12;

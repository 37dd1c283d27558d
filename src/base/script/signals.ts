/** How a running edit script leaves a loop, a function or itself: what is thrown on the way out. */
import type { Value } from "./values.ts";

class Carrying {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** `break value`: the value of the loop. */
export class Break extends Carrying {}
export class Continue {}
/** `return value`: the value of the function. */
export class Return extends Carrying {}
/** `throw value`. */
export class Thrown extends Carrying {}
/** `exit()`: the end of the whole script, which counts as a good one. */
export class Exit {}
